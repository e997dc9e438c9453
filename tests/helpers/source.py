"""The project's own source, parsed: what tests of its rules look at."""

import ast
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PACKAGES = ("domain", "schema", "resolvers", "worker", "server")
#: Folders that are installed, built, cached, or an installation's own.
_FOREIGN = {
    ".git",
    ".venv",
    "__pycache__",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".hypothesis",
    ".import_linter_cache",
    "node_modules",
    "static",
    "data",
    "demo-output",
    "build",
    "dist",
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Module(NamedTuple):
    """One parsed file; `name` is its path from the root."""

    name: str
    text: str
    tree: ast.Module


@cache
def modules() -> tuple[Module, ...]:
    """Return the modules of the five packages, without generated migrations."""
    found = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.parent.name != "migrations":
                text = path.read_text("utf-8")
                found.append(Module(str(path.relative_to(ROOT)), text, ast.parse(text)))
    return tuple(found)


def functions(module: Module) -> Iterator[Function]:
    """Yield every function of a module, nested ones too."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """Yield the nodes that run when the function runs: not the bodies of functions defined in it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))


def dotted(node: ast.AST) -> str:
    """Return a name as it is written, such as `time.sleep`; empty for what is no plain name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return ""


def text_files() -> Iterator[tuple[str, str]]:
    """Yield path and text of every text file of the tree, installed and built ones left out."""
    for folder, below, names in os.walk(ROOT):
        below[:] = [name for name in below if name not in _FOREIGN]
        for name in names:
            path = Path(folder, name)
            if name == ".env" or name.startswith(".coverage"):
                continue
            try:
                yield str(path.relative_to(ROOT)), path.read_text("utf-8")
            except UnicodeDecodeError:
                continue


def table_rows(document: str, heading: str) -> list[list[str]]:
    """Return the rows of the tables under a heading of a page in `docs/`, header rows left out, cells stripped."""
    lines = (ROOT / "docs" / document).read_text("utf-8").splitlines()
    start = lines.index(heading) + 1
    level = heading.split(" ", maxsplit=1)[0]
    rows = []
    for line in lines[start:]:
        if line.startswith("#") and len(line.split(" ")[0]) <= len(level):
            break
        if line.startswith("| `"):
            rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return rows
