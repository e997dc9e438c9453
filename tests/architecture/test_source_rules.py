import ast
import re
import statistics

from tests.helpers.source import PACKAGES, dotted, functions, modules, own_nodes, text_files

_BLOCKING = {
    "open",
    "io.open",
    "input",
    "time.sleep",
    "os.system",
    "subprocess.run",
    "subprocess.call",
    "subprocess.check_call",
    "subprocess.check_output",
    "subprocess.Popen",
    "socket.create_connection",
    "urllib.request.urlopen",
    "shutil.copyfile",
    "shutil.rmtree",
    "bcrypt.hashpw",
    "bcrypt.checkpw",
}
_BLOCKING_PREFIXES = ("requests.", "httpx.get", "httpx.post", "httpx.Client")
#: Written in two parts, so that this file does not hold what it looks for.
_UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b|raise NotImplemented" r"Error")


def _passes_on(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def test_there_is_source_to_look_at() -> None:
    # Otherwise every rule below would hold of nothing.
    assert len(modules()) > 150
    assert {module.name.split("/")[0] for module in modules()} == set(PACKAGES)
    assert sum(1 for module in modules() for _ in functions(module)) > 800
    assert sum(1 for module in modules() for node in ast.walk(module.tree) if isinstance(node, ast.Await)) > 200


def test_files_are_short() -> None:
    lengths = {module.name: module.text.count("\n") for module in modules()}
    assert {name: length for name, length in lengths.items() if length > 450} == {}
    written = sorted(length for name, length in lengths.items() if not name.endswith("__init__.py"))
    assert statistics.median(written) <= 120
    assert written[len(written) * 9 // 10] <= 300


def test_functions_are_short() -> None:
    lengths = {
        f"{module.name}:{function.name}": (function.end_lineno or 0) - function.lineno + 1
        for module in modules()
        for function in functions(module)
    }
    assert {name: length for name, length in lengths.items() if length > 70} == {}
    ordered = sorted(lengths.values())
    assert ordered[len(ordered) * 9 // 10] <= 30


def test_first_party_imports_stand_at_the_top() -> None:
    inside = []
    for module in modules():
        for function in functions(module):
            for node in ast.walk(function):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom):
                    names = [node.module or ""]
                inside += [f"{module.name}:{node.lineno}" for name in names if name.split(".")[0] in PACKAGES]
    assert inside == []


def test_everything_is_caught_in_few_places_only() -> None:
    broad = []
    for module in modules():
        for node in ast.walk(module.tree):
            # One that ends in a bare `raise` cleans up and passes everything on; it catches nothing.
            if isinstance(node, ast.ExceptHandler) and not _passes_on(node):
                kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
                if any(kind is None or dotted(kind) in {"Exception", "BaseException"} for kind in kinds):
                    broad.append(f"{module.name}:{node.lineno}")
    assert 0 < len(broad) <= 6, broad


def test_every_module_says_what_it_is() -> None:
    assert [module.name for module in modules() if not (ast.get_docstring(module.tree) or "").strip()] == []


def test_packages_hold_no_code_of_their_own() -> None:
    packages = [module for module in modules() if module.name.endswith("__init__.py")]
    assert len(packages) > 10
    assert [module.name for module in packages if len(module.tree.body) != 1] == []


def test_nothing_blocks_the_event_loop() -> None:
    blocking = []
    for module in modules():
        for function in functions(module):
            if isinstance(function, ast.AsyncFunctionDef):
                for node in own_nodes(function):
                    if isinstance(node, ast.Call):
                        name = dotted(node.func)
                        if name in _BLOCKING or name.startswith(_BLOCKING_PREFIXES):
                            blocking.append(f"{module.name}:{node.lineno} {name}")
    assert blocking == []


def test_nothing_is_left_unfinished() -> None:
    kinds = (".py", ".ts", ".tsx", ".mjs")
    found, seen = [], 0
    for name, text in text_files():
        if name.endswith(kinds):
            seen += 1
            found += [f"{name}: {match.group()}" for match in _UNFINISHED.finditer(text)]
    assert seen > 250
    assert found == []
