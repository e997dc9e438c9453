"""What a model is sent: what was asked for, put into the fields that the model has. Pure.

Models call the same thing by different names; those that are common at Replicate and fal in autumn 2026 are known here.
A field that a model does not have is left out, and what cannot be said in a field of its own is said in words or, for
sizes and lengths, by what is nearest.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from worker.artifacts import GenerationRequest
from worker.providers.clips.plan import fitting_lines, fitting_seconds, wanted_seconds
from worker.providers.inputs.schema import InputField, Schema
from worker.providers.pictures.shot import Shot
from worker.providers.pictures.size import FreeSizes, nearest_ratio

#: Where a model takes several pictures, and where it takes one.
_LISTS: Final = ("image_input", "image_urls", "input_images", "images", "reference_images")
_SINGLES: Final = (
    "start_image",
    "start_image_url",
    "first_frame_image",
    "first_frame_url",
    "input_image",
    "input_image_url",
    "image_url",
    "image",
    "image_prompt",
)
_LENGTHS: Final = ("duration", "duration_seconds", "seconds", "video_length")
_SOUND: Final = ("generate_audio", "enable_audio")
_RATIO: Final = re.compile(r"\d+:\d+")
_LINES: Final = re.compile(r"(\d{3,4})[pP]")
_MAX_PROMPT: Final = 4000
_LEAST_SIDE: Final = 256
_MOST_SIDE: Final = 2048
#: Values that say that a clip or picture has the shape of the one that it is made from.
_LIKE_THE_PICTURE: Final = ("match_input_image", "auto", "adaptive")


class NoPictureTaken(Exception):
    """The model has no field for a picture."""


def picture_input(schema: Schema, shot: Shot, pictures: Sequence[str]) -> dict[str, object]:
    """Return what to send for a picture; `pictures` are addresses or `data:` URLs. Raises `NoPictureTaken`."""
    found = _words(schema, shot.prompt, shot.negative_prompt, shot.seed)
    found |= _size(schema, shot.width, shot.height)
    if "png" in _values(schema, "output_format"):
        found["output_format"] = "png"
    found |= {name: 1 for name in ("num_outputs", "num_images") if name in schema}
    return {**found, **_pictures(schema, pictures, (*_LISTS, *_SINGLES))}


def clip_input(schema: Schema, request: GenerationRequest, frame: str | None) -> dict[str, object]:
    """Return what to send for a clip that begins with the picture at `frame`, if any. Raises `NoPictureTaken`."""
    found = _words(schema, request.prompt, request.negative_prompt, request.seed)
    for name in _LENGTHS:
        if name in schema:
            found[name] = _length(schema[name], wanted_seconds(request))
            break
    lines = {int(match[1]): value for value in _values(schema, "resolution") if (match := _LINES.fullmatch(str(value)))}
    if lines:
        found["resolution"] = lines[fitting_lines(request, tuple(lines))]
    found |= {name: False for name in _SOUND if name in schema}
    if frame is None:
        return {**found, **_ratio(schema, request.params.width, request.params.height)}
    like = [value for value in _LIKE_THE_PICTURE if value in _values(schema, "aspect_ratio")]
    shape = {"aspect_ratio": like[0]} if like else {}
    return {**found, **shape, **_pictures(schema, (frame,), (*_SINGLES, *_LISTS))}


def _words(schema: Schema, prompt: str, negative: str, seed: int) -> dict[str, object]:
    found: dict[str, object] = {}
    if negative and "negative_prompt" in schema:
        found["negative_prompt"] = negative[:_MAX_PROMPT]
    elif negative:
        avoid = f"\nAvoid: {negative}."
        prompt = prompt[: max(0, _MAX_PROMPT - len(avoid))] + avoid
    if "seed" in schema:
        most = schema["seed"].most
        found["seed"] = seed if most is None else seed % (int(most) + 1)
    return {"prompt": prompt[:_MAX_PROMPT], **found}


def _values(schema: Schema, name: str) -> tuple[str | int, ...]:
    return schema[name].values if name in schema else ()


def _size(schema: Schema, width: int, height: int) -> dict[str, object]:
    """Return the proportions where the model has such a choice, else the size."""
    if ratio := _ratio(schema, width, height):
        return ratio
    if "image_size" in schema:
        wide, high = _free(InputField()).choose(width, height)
        return {"image_size": {"width": wide, "height": high}}
    if "width" in schema and "height" in schema:
        wide, high = _free(schema["width"]).choose(width, height)
        return {"width": _nearest(schema["width"], wide), "height": _nearest(schema["height"], high)}
    return {}


def _free(field: InputField) -> FreeSizes:
    most = int(field.most or _MOST_SIDE)
    return FreeSizes(min_side=int(field.least or _LEAST_SIDE), max_side=most, max_pixels=most * most)


def _nearest(field: InputField, side: int) -> int:
    offered = [value for value in field.values if isinstance(value, int)]
    return min(offered, key=lambda value: abs(value - side)) if offered else side


def _ratio(schema: Schema, width: int, height: int) -> dict[str, object]:
    ratios = tuple(str(value) for value in _values(schema, "aspect_ratio") if _RATIO.fullmatch(str(value)))
    return {"aspect_ratio": nearest_ratio(ratios, width, height)} if ratios else {}


def _length(field: InputField, wanted: float) -> str | int:
    """Return the length in the form that the field has: 5, "5" or "5s"."""
    offered = {int(match[0]): value for value in field.values if (match := re.match(r"\d+", str(value)))}
    if offered:
        return offered[fitting_seconds(wanted, tuple(offered))]
    first = int(field.least or 1)
    seconds = fitting_seconds(wanted, range(first, max(first, int(field.most or max(wanted + 1, 5))) + 1))
    return str(seconds) if field.text else seconds


def _pictures(schema: Mapping[str, InputField], pictures: Sequence[str], names: Sequence[str]) -> dict[str, object]:
    if not pictures:
        return {}
    for name in names:
        if name in schema:
            many = schema[name].many or name in _LISTS
            return {name: list(pictures) if many else pictures[0]}
    raise NoPictureTaken
