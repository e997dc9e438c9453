"""Building prompts: style, subject and technical requirements in one text, and what to avoid in another. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from domain.kinds import AssetType
from domain.params import Params
from domain.styles import Style

MAX_CORRECTIONS: Final = 6
#: What asks for transparency; providers that cannot paint it ask for something else in its place.
TRANSPARENT: Final = "Transparent background, nothing around the subject."


@dataclass(frozen=True, slots=True)
class BuiltPrompt:
    """A prompt in its three parts, and the negative prompt."""

    style: str
    subject: str
    technical: str
    negative: str

    @property
    def text(self) -> str:
        """The whole prompt as a provider that reads prose gets it."""
        return "\n".join(part for part in (self.style, self.subject, self.technical) if part)


def build_prompt(
    style: Style, subject: str, asset_type: AssetType, params: Params, corrections: Sequence[str] = ()
) -> BuiltPrompt:
    """Merge a project's style with a user's words and what the asset type demands.

    `corrections` are the reasons of failed checks in the rounds before; the latest of them are asked for explicitly.
    """
    technical = [*_requirements(asset_type, params)]
    if corrections:
        latest = list(dict.fromkeys(corrections))[-MAX_CORRECTIONS:]
        technical.append("Correct these faults of an earlier try: " + " ".join(latest))
    return BuiltPrompt(
        style=_style_part(style),
        subject=f"Subject: {subject}",
        technical="Requirements: " + " ".join(technical),
        negative=", ".join(dict.fromkeys(_negative(style, asset_type, params))),
    )


def _style_part(style: Style) -> str:
    parts = []
    if style.art_style:
        parts.append(style.art_style)
    if style.perspective:
        parts.append(style.perspective)
    if style.mood:
        parts.append(f"{style.mood} mood")
    if style.palette:
        parts.append("only these colors: " + " ".join(style.palette))
    return "Style: " + ", ".join(parts) + "." if parts else ""


_BY_TYPE: Final = {
    AssetType.SPRITE: "One game sprite, the whole figure, centred, with a clear silhouette.",
    AssetType.SPRITESHEET: "Frames of one character for animation: same size, proportions and colors in every frame.",
    AssetType.TILESET: "Ground tiles for a map, seen straight from above, that join without a visible seam.",
    AssetType.ICON: "One icon that is readable at small size, centred, filling the frame.",
    AssetType.BACKGROUND: "A background for a game scene, without characters or text.",
    AssetType.PORTRAIT: "A portrait of head and shoulders, facing the viewer.",
    AssetType.UI: "One element of a game's user interface, straight edges, without text.",
    AssetType.VIDEO: "A short clip for a game, without text.",
}


def _requirements(asset_type: AssetType, params: Params) -> list[str]:
    parts = [_BY_TYPE[asset_type], f"{params.width} x {params.height} pixels."]
    if asset_type is AssetType.TILESET:
        parts.append(f"Tiles of {params.tile_size} x {params.tile_size} pixels.")
    for animation in params.animations:
        kind = "looping" if animation.loop else "played once"
        parts.append(f"Animation {animation.name!r}: {animation.frames} frames, {kind}.")
    parts.append(TRANSPARENT if params.transparent else "")
    if params.seamless:
        parts.append("Wraps without a seam in both directions.")
    if params.palette_size:
        parts.append(f"At most {params.palette_size} colors.")
    if params.duration_seconds:
        parts.append(f"{params.duration_seconds:g} seconds.")
    return [part for part in parts if part]


def _negative(style: Style, asset_type: AssetType, params: Params) -> list[str]:
    parts = [style.negative_prompt, params.negative_prompt, "text", "watermark", "signature"]
    if params.transparent:
        parts.append("background")
    if asset_type in (AssetType.SPRITE, AssetType.ICON, AssetType.SPRITESHEET):
        parts.append("cropped")
    return [part for part in parts if part]
