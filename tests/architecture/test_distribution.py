import importlib
import json
import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.helpers.source import PACKAGES, ROOT, text_files

_LOCKS = ("dev.txt", "runtime.txt", "build.txt")
_NPM_LOCKS = ("web/package-lock.json", "tests/clients/package-lock.json")
_PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)(?:\[[^]]*\])?==(\S+)", re.MULTILINE | re.IGNORECASE)


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def lock(name: str) -> str:
    return (ROOT / "requirements" / name).read_text("utf-8")


def pins(name: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for package, version in _PIN.findall(lock(name)):
        found.setdefault(normalised(package), set()).add(version)
    return found


def declared(entries: list[object]) -> set[str]:
    return {normalised(re.split(r"[\s<>=!~;\[]", entry)[0]) for entry in entries if isinstance(entry, str)}


@pytest.mark.parametrize("package", PACKAGES)
def test_the_package_that_is_imported_is_ours(package: str) -> None:
    found = importlib.import_module(package).__file__
    assert found is not None
    assert Path(found).resolve() == (ROOT / package / "__init__.py").resolve()


def test_no_dependency_brings_a_package_of_our_name() -> None:
    # The registry has a distribution called "schema", among others.
    brought = packages_distributions()
    assert "starlette" in brought
    assert {name: brought[name] for name in PACKAGES if set(brought.get(name, ())) - {"wonder"}} == {}


@pytest.mark.parametrize("name", _LOCKS)
def test_python_locks_have_hashes_and_no_hosts(name: str) -> None:
    text = lock(name)
    packages = re.split(r"\n(?=[A-Za-z0-9])", text.strip())
    assert len(packages) >= 3
    assert [package.split(" ")[0] for package in packages if "--hash=sha256:" not in package] == []
    assert "://" not in text
    assert re.search(r"^\s*(--(extra-)?index-url|--find-links|-i|-f)\b", text, re.MULTILINE) is None


@pytest.mark.parametrize("name", ["runtime.txt", "build.txt"])
def test_what_is_shipped_is_what_was_tested(name: str) -> None:
    tested, shipped = pins("dev.txt"), pins(name)
    assert shipped
    assert {package: versions for package, versions in shipped.items() if tested.get(package) != versions} == {}


def test_locks_hold_every_declared_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    dependencies, groups = declared(project["project"]["dependencies"]), project["dependency-groups"]
    assert len(dependencies) > 10
    assert dependencies <= pins("runtime.txt").keys()
    assert declared(groups["build"]) <= pins("build.txt").keys()
    assert dependencies | declared(groups["build"]) | declared(groups["dev"]) <= pins("dev.txt").keys()


@pytest.mark.parametrize("name", _NPM_LOCKS)
def test_npm_locks_have_hashes_and_no_hosts_of_packages(name: str) -> None:
    packages = json.loads((ROOT / name).read_text("utf-8"))["packages"]
    installed = {path: entry for path, entry in packages.items() if path}
    assert len(installed) > 5
    assert [path for path, entry in installed.items() if "resolved" in entry] == []
    # A package inside the archive of another has no hash of its own.
    assert [path for path, entry in installed.items() if not entry.get("inBundle") and "integrity" not in entry] == []


@pytest.mark.parametrize("name", _NPM_LOCKS)
def test_npm_locks_hold_every_package_that_they_name(name: str) -> None:
    # One that is named and missing, even an optional one, makes `npm ci` refuse the whole lock.
    packages = json.loads((ROOT / name).read_text("utf-8"))["packages"]
    held = {path.rpartition("node_modules/")[2] for path in packages}
    named = {
        other
        for entry in packages.values()
        for kind in ("dependencies", "devDependencies", "optionalDependencies")
        for other in entry.get(kind, ())
    }
    assert named - held == set()


def test_the_tree_names_no_place_of_a_machine_and_no_download() -> None:
    patterns = re.compile(
        r"(?:^|[^A-Za-z0-9_.}])/(?:root|home|Users|work|mnt)/"
        r"|https?://[^\"'\s]+(?:/simple(?:[/\"'\s]|$)|/packages/[0-9a-f]{2}/|\.whl|\.tgz)",
        re.MULTILINE,
    )
    found, seen = [], 0
    for name, text in text_files():
        if not name.endswith(".svg"):
            seen += 1
            found += [f"{name}: {match.group().strip()}" for match in patterns.finditer(text)]
    assert seen > 300
    assert found == []
    assert not (ROOT / "uv.lock").exists(), "it names the hosts of downloads; the locks are in requirements/"
