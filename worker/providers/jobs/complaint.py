"""The words of services that complain in `detail`, as FastAPI does: a sentence, or a list with one for each field."""

from collections.abc import Mapping


def complaint_of(detail: object) -> tuple[str, tuple[str, ...]]:
    """Return the words for people, and the types of error that they belong to."""
    if isinstance(detail, Mapping):
        detail = [detail]
    if not isinstance(detail, list):
        return (detail if isinstance(detail, str) else ""), ()
    items = [item for item in detail if isinstance(item, Mapping)]
    words = [
        ": ".join(part for part in (_place(item.get("loc")), str(item.get("msg") or "")) if part) for item in items
    ]
    return "; ".join(words), tuple(str(item.get("type") or "") for item in items)


def _place(value: object) -> str:
    return ".".join(str(part) for part in value if part != "body") if isinstance(value, list) else ""
