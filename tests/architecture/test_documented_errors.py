import ast

from resolvers import errors
from schema.enums import ErrorCode
from tests.helpers.source import dotted, modules, table_rows


def documented(heading: str) -> set[str]:
    codes = [row[0].strip("`") for row in table_rows("errors.md", heading)]
    assert len(codes) == len(set(codes)), f"a code stands twice under {heading}"
    return set(codes)


def constant(node: ast.AST | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def argument(call: ast.Call, position: int, keyword: str) -> str | None:
    """A literal argument, by position or by name."""
    if len(call.args) > position:
        return constant(call.args[position])
    return next((constant(given.value) for given in call.keywords if given.arg == keyword), None)


def calls(*packages: str) -> list[ast.Call]:
    return [
        node
        for module in modules()
        if module.name.startswith(packages)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
    ]


def task_codes() -> set[str]:
    """The codes that a task's error can have, as the code writes them."""
    found: set[str | None] = set()
    for call in calls("worker/", "domain/tasks/"):
        name = dotted(call.func).split(".")[-1]
        if name in {"Failure", "FailureKind", "ProviderError"}:
            found.add(argument(call, 0, "code"))
        elif name == "_Known":
            found.add(argument(call, 1, "code"))
        found.add(argument(call, 99, "error_code"))
    return {code for code in found if code is not None}


def response_codes() -> set[str]:
    """The codes of a response's own errors, as the code writes them."""
    found: set[str | None] = {kind.code for kind in errors._CODED}
    for module in modules():
        if module.name in {"resolvers/errors.py", "resolvers/limits.py"} or module.name.startswith("server/"):
            for node in ast.walk(module.tree):
                if isinstance(node, ast.Dict):
                    found |= {
                        constant(value)
                        for key, value in zip(node.keys, node.values, strict=True)
                        if constant(key) == "code"
                    }
                if isinstance(node, ast.Call) and dotted(node.func) == "Refused":
                    found.add(argument(node, 2, "code"))
    return {code for code in found if code is not None}


def test_every_code_of_a_mutations_answer_is_documented_and_no_other() -> None:
    assert documented("## In the answer of a mutation") == {code.value for code in ErrorCode}


def test_every_code_of_a_response_is_documented_and_no_other() -> None:
    assert {"UNAUTHENTICATED", "BAD_REQUEST", "QUERY_TOO_COMPLEX", "UNAVAILABLE", "INTERNAL"} <= response_codes()
    assert documented("## In the response's own `errors`") == response_codes()


def test_every_code_of_a_task_is_documented_and_no_other() -> None:
    assert {"TIMEOUT", "WORKER_LOST", "DEPENDENCY_FAILED", "INTERNAL", "STORAGE_FAILED"} <= task_codes()
    assert documented("## In a task") == task_codes()


def test_every_code_says_what_it_means_and_what_to_do() -> None:
    for heading in ("## In the answer of a mutation", "## In the response's own `errors`", "## In a task"):
        for row in table_rows("errors.md", heading):
            assert len(row) >= 3, row
            assert all(len(cell) > 1 for cell in row), row


def test_documented_retryability_of_task_errors_is_that_of_the_code() -> None:
    written: dict[str, set[bool]] = {}
    for call in calls("worker/", "domain/tasks/"):
        name = dotted(call.func).split(".")[-1]
        code = {
            "Failure": lambda call: argument(call, 0, "code"),
            "FailureKind": lambda call: argument(call, 0, "code"),
            "ProviderError": lambda call: argument(call, 0, "code"),
            "_Known": lambda call: argument(call, 1, "code"),
        }.get(name, lambda call: argument(call, 99, "error_code"))(call)
        for given in call.keywords:
            if code and given.arg in {"retryable", "error_retryable"} and isinstance(given.value, ast.Constant):
                written.setdefault(code, set()).add(bool(given.value.value))
    assert len(written) > 8
    pages = {row[0].strip("`"): row[3] for row in table_rows("errors.md", "## In a task")}
    assert {code: pages[code] for code in written} == {
        code: "yes" if values == {True} else "no" for code, values in written.items()
    }
