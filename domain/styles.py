"""A project's style: what makes its assets look like one game."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from domain.errors import InvalidInput
from domain.text import checked_text

MAX_STYLE_TEXT = 500
MAX_PALETTE = 256
MAX_REFERENCE_IMAGES = 8
_COLOR = re.compile(r"#[0-9a-f]{6}(?:[0-9a-f]{2})?")


@dataclass(frozen=True, slots=True)
class Style:
    """The style as stored with a project and frozen into every task."""

    art_style: str = ""
    #: "#rrggbb" or "#rrggbbaa", lower case; empty means free.
    palette: tuple[str, ...] = ()
    perspective: str = ""
    mood: str = ""
    negative_prompt: str = ""
    reference_image_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StyleChange:
    """The fields of a style that a request sets; `None` leaves a field as it is."""

    art_style: str | None = None
    palette: tuple[str, ...] | None = None
    perspective: str | None = None
    mood: str | None = None
    negative_prompt: str | None = None
    reference_image_ids: tuple[str, ...] | None = None
    #: Where in the request the style stands, for error paths.
    path: tuple[str, ...] = field(default=("input", "style"))


def normalise_color(value: str, path: tuple[str, ...] | None = None) -> str:
    """Return `#rrggbb` or `#rrggbbaa` in lower case, or raise `InvalidInput`."""
    color = value.strip().lower()
    if not _COLOR.fullmatch(color):
        raise InvalidInput(f"A color is written #rrggbb or #rrggbbaa, not {value[:40]!r}.", path=path)
    return color


def change_style(style: Style, change: StyleChange) -> Style:
    """Apply a checked change to a style."""
    texts: dict[str, str] = {}
    for name, camel in (
        ("art_style", "artStyle"),
        ("perspective", "perspective"),
        ("mood", "mood"),
        ("negative_prompt", "negativePrompt"),
    ):
        value: str | None = getattr(change, name)
        if value is not None:
            texts[name] = checked_text(value, maximum=MAX_STYLE_TEXT, path=(*change.path, camel))
    result = replace(style, **texts)  # type: ignore[arg-type]  # mypy cannot tell which fields the keys name
    if change.palette is not None:
        path = (*change.path, "palette")
        if len(change.palette) > MAX_PALETTE:
            raise InvalidInput(f"A palette holds at most {MAX_PALETTE} colors.", path=path)
        colors = dict.fromkeys(normalise_color(color, path) for color in change.palette)
        result = replace(result, palette=tuple(colors))
    if change.reference_image_ids is not None:
        path = (*change.path, "referenceImageIds")
        if len(change.reference_image_ids) > MAX_REFERENCE_IMAGES:
            raise InvalidInput(f"A style holds at most {MAX_REFERENCE_IMAGES} reference images.", path=path)
        result = replace(result, reference_image_ids=tuple(dict.fromkeys(change.reference_image_ids)))
    return result


def style_to_json(style: Style) -> dict[str, object]:
    """Return the style as plain data for a JSON column."""
    return {
        "artStyle": style.art_style,
        "palette": list(style.palette),
        "perspective": style.perspective,
        "mood": style.mood,
        "negativePrompt": style.negative_prompt,
        "referenceImageIds": list(style.reference_image_ids),
    }


def style_from_json(data: Mapping[str, object]) -> Style:
    """Read what `style_to_json` wrote."""

    def strings(name: str) -> tuple[str, ...]:
        value = data.get(name)
        return tuple(str(item) for item in value) if isinstance(value, list) else ()

    def string(name: str) -> str:
        return str(data.get(name) or "")

    return Style(
        art_style=string("artStyle"),
        palette=strings("palette"),
        perspective=string("perspective"),
        mood=string("mood"),
        negative_prompt=string("negativePrompt"),
        reference_image_ids=strings("referenceImageIds"),
    )
