"""Every reported fault that is said to be tested for has tests of those names."""

import ast
import re

from tests.helpers.source import ROOT, table_rows

HEADINGS = {
    "## Queue and life of a task": {1, 3, 5, 7, 9, 12, 13, 15, 17, 19, 21, 23, 24},
    "## Live progress and webhooks": {26, 28, 31, 32, 34},
}
_NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def names_in(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_fault_has_its_row() -> None:
    for heading, numbers in HEADINGS.items():
        listed = [int(row[0].strip("`")) for row in table_rows("faults.md", heading)]
        assert listed == sorted(numbers)


def test_every_test_that_is_named_is_there() -> None:
    named = 0
    for heading in HEADINGS:
        for number, *_, tests in table_rows("faults.md", heading):
            found = _NAMED.findall(tests)
            assert found, number
            assert len(found) == tests.count("::"), number
            for path, name in found:
                assert name in names_in(path), f"{number}: {path}::{name}"
            named += len(found)
    assert named >= 30
