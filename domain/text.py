"""Checks for text that people type, in any language."""

from domain.errors import InvalidInput


def has_surrogate(value: str) -> bool:
    """Tell whether the string holds a lone surrogate, which no UTF-8 encoder takes."""
    return any("\ud800" <= character <= "\udfff" for character in value)


def checked_text(
    value: str, *, maximum: int, minimum: int = 0, path: tuple[str, ...] | None = None, strip: bool = True
) -> str:
    """Return the text trimmed, or raise `InvalidInput`.

    Lengths count characters (code points). NUL and lone surrogates are refused because PostgreSQL's text and UTF-8
    cannot hold them; everything else (CJK, emoji with joiners, right-to-left marks) comes back unchanged.
    """
    text = value.strip() if strip else value
    name = path[-1] if path else "This text"
    if "\x00" in text or has_surrogate(text):
        raise InvalidInput(f"{name} holds a character that cannot be stored (NUL or a lone surrogate).", path=path)
    if len(text) < minimum:
        raise InvalidInput(f"{name} must not be empty." if minimum == 1 else f"{name} is too short.", path=path)
    if len(text) > maximum:
        raise InvalidInput(f"{name} has {len(text)} characters; at most {maximum} are allowed.", path=path)
    return text
