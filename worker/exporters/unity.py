"""Unity's import settings beside an image (`<image>.meta`): sprites cut by rectangles, y counted from the bottom.

Unity knows an asset by its guid and a sprite by its internalID, so both are derived from the task and the names: a new
export of the same task keeps every reference in a game alive.
"""

import hashlib
import re
import unicodedata

from worker.exporters.sheet import Frame, Page, Sheet, Sidecar
from worker.imaging.nine_slice import NineSlice

#: `SpriteAlignment.Custom`: the pivot is the one written.
_CUSTOM = 9
#: Class id of Sprite.
_SPRITE = 213
_PIXELS_PER_UNIT = 100
#: Ends in a number like every frame's name, so it is none of YAML's words for true, false and null.
_PLAIN = re.compile("[A-Za-z][A-Za-z0-9_-]*_[0-9]+")


def unity(sheet: Sheet) -> tuple[Sidecar, ...]:
    """Return one meta file a page; it must lie beside its image before Unity first sees that."""
    return tuple(
        Sidecar(f"{page.image}.meta", "text/yaml; charset=utf-8", _meta(sheet, number, page).encode(), (page.image,))
        for number, page in enumerate(sheet.pages)
    )


def yaml_string(value: str) -> str:
    """Return a YAML scalar: bare when it is a plain word, else in double quotes with what cannot be printed escaped.

    Unity writes plain words bare, and simple readers such as Phaser's take quotes for a part of the name.
    """
    if _PLAIN.fullmatch(value):
        return value
    return '"' + "".join(_escaped(character) for character in value) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    # Control, format (joiners, direction marks) and separator characters: YAML forbids some and folds others.
    if unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"} or character == " ":
        return character
    code = ord(character)
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"  # noqa: PLR2004 (the end of four hex digits)


def _digest(sheet: Sheet, *names: str) -> str:
    return hashlib.sha256("\0".join((sheet.identity, *names)).encode("utf-8", "replace")).hexdigest()


def _internal_id(sheet: Sheet, page: Page, frame: Frame) -> int:
    """Return a positive 63-bit number, never 0, which Unity takes for "none"."""
    return (int(_digest(sheet, page.image, frame.name, "internalID")[:16], 16) >> 1) or 1


def _meta(sheet: Sheet, number: int, page: Page) -> str:
    frames = sheet.on_page(number)
    ids = [(frame, _internal_id(sheet, page, frame)) for frame in frames]
    lines = [
        "fileFormatVersion: 2",
        f"guid: {_digest(sheet, page.image)[:32]}",
        "TextureImporter:",
        "  internalIDToNameTable:",
    ]
    for frame, internal_id in ids:
        lines += ["  - first:", f"      {_SPRITE}: {internal_id}", f"    second: {yaml_string(frame.name)}"]
    lines += _settings(page, _border(frames[0].slices) if len(frames) == 1 else _border(None))
    for frame, internal_id in ids:
        lines += _sprite(sheet, page, frame, internal_id)
    lines += ["    nameFileIdTable:"]
    lines += [f"      {yaml_string(frame.name)}: {internal_id}" for frame, internal_id in ids]
    lines += ["  userData: ", "  assetBundleName: ", "  assetBundleVariant: "]
    return "\n".join(lines) + "\n"


def _settings(page: Page, border: str) -> list[str]:
    """Return what suits pixel art: no filter, no mipmaps, no compression, no scaling to powers of two."""
    # Unity's own list of limits; a page larger than the limit would be scaled down and every rect be wrong.
    limit = max(2048, 1 << (max(page.width, page.height) - 1).bit_length())
    return [
        "  externalObjects: {}",
        "  serializedVersion: 13",
        "  mipmaps:",
        "    enableMipMap: 0",
        "    sRGBTexture: 1",
        f"  maxTextureSize: {limit}",
        "  textureSettings:",
        "    serializedVersion: 2",
        "    filterMode: 0",
        "    aniso: 1",
        "    mipBias: 0",
        "    wrapU: 1",
        "    wrapV: 1",
        "    wrapW: 1",
        "  nPOTScale: 0",
        "  spriteMode: 2",
        "  spriteExtrude: 1",
        "  spriteMeshType: 0",
        f"  alignment: {_CUSTOM}",
        "  spritePivot: {x: 0.5, y: 0.5}",
        f"  spritePixelsToUnits: {_PIXELS_PER_UNIT}",
        f"  spriteBorder: {border}",
        "  alphaUsage: 1",
        "  alphaIsTransparency: 1",
        "  textureType: 8",
        "  textureShape: 1",
        "  platformSettings:",
        "  - serializedVersion: 3",
        "    buildTarget: DefaultTexturePlatform",
        f"    maxTextureSize: {limit}",
        "    textureCompression: 0",
        "    overridden: 0",
        "  spriteSheet:",
        "    serializedVersion: 2",
        "    sprites:",
    ]


def _sprite(sheet: Sheet, page: Page, frame: Frame, internal_id: int) -> list[str]:
    rect = frame.rect
    pivot_x, pivot_y = _pivot(sheet, frame)
    return [
        "    - serializedVersion: 2",
        f"      name: {yaml_string(frame.name)}",
        "      rect:",
        "        serializedVersion: 2",
        f"        x: {rect.x}",
        f"        y: {page.height - rect.bottom}",
        f"        width: {rect.width}",
        f"        height: {rect.height}",
        f"      alignment: {_CUSTOM}",
        f"      pivot: {{x: {pivot_x}, y: {pivot_y}}}",
        f"      border: {_border(frame.slices)}",
        "      outline: []",
        "      physicsShape: []",
        "      tessellationDetail: 0",
        "      bones: []",
        f"      spriteID: {_digest(sheet, page.image, frame.name, 'spriteID')[:32]}",
        f"      internalID: {internal_id}",
        "      vertices: []",
        "      indices: ",
        "      edges: []",
        "      weights: []",
    ]


def _border(slices: NineSlice | None) -> str:
    """Return left, bottom, right and top, in Unity's order."""
    left, bottom, right, top = (slices.left, slices.bottom, slices.right, slices.top) if slices else (0, 0, 0, 0)
    return f"{{x: {left}, y: {bottom}, z: {right}, w: {top}}}"


def _pivot(sheet: Sheet, frame: Frame) -> tuple[float, float]:
    """Return the pivot in shares of the rect, from its bottom left; outside 0 to 1 when trimming took its place."""
    (left, top), (width, height) = frame.offset, frame.source_size
    x = (sheet.pivot[0] * width - left) / frame.rect.width
    y = 1 - (sheet.pivot[1] * height - top) / frame.rect.height
    return round(x, 6), round(y, 6)
