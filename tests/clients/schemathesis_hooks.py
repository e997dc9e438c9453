"""What schemathesis has to know of this API: how an upload looks, and which refusals are answers.

Read by the tools' own Python, through SCHEMATHESIS_HOOKS.
"""

import schemathesis
from hypothesis import strategies
from schemathesis.graphql import nodes

#: docs/errors.md: codes of the top-level `errors`; all but INTERNAL are answers to a request that cannot be served.
_REFUSALS = {
    "BAD_REQUEST",
    "FORBIDDEN",
    "GRAPHQL_PARSE_FAILED",
    "GRAPHQL_VALIDATION_FAILED",
    "NOT_FOUND",
    "QUERY_TOO_COMPLEX",
    "RATE_LIMITED",
    "UNAUTHENTICATED",
}

# A file comes in a multipart part of its own: what a JSON document holds in its place is refused.
schemathesis.graphql.scalar("Upload", strategies.text().map(nodes.String))


@schemathesis.check
def answers_with_known_codes(ctx: object, response: schemathesis.Response, case: object) -> None:
    """Every answer is JSON, no server error, and carries a known code with every error."""
    assert response.status_code < 500, f"status {response.status_code}"
    answer = response.json()
    assert set(answer) <= {"data", "errors", "extensions"}, f"unknown entries: {set(answer)}"
    for error in answer.get("errors", []):
        code = error.get("extensions", {}).get("code")
        assert code in _REFUSALS, f"{code}: {error['message']}"
