"""Whether the surroundings are transparent, or the picture is opaque, as asked."""

from typing import Final

from domain.kinds import AssetType
from worker.artifacts import Verdict
from worker.quality.frames import Frame, Measured
from worker.quality.scores import clipped

#: Share of transparent pixels along the border for full marks.
_BORDER: Final = 0.5
#: Share of visible pixels from which there are no surroundings, however clear the border is.
_FULL: Final = 0.96
#: An icon may have a frame, of which only the round corners are clear.
_ICON_BORDER: Final = 0.05
_ICON_FULL: Final = 0.995
_THRESHOLD: Final = 0.75
_OPACITY_THRESHOLD: Final = 0.995


def check_transparency(measured: Measured) -> tuple[Verdict, ...]:
    """Check that what was asked for is there: transparent surroundings, or no transparency at all.

    Tiles and pieces of user interface may fill their frame, so of them no transparent surroundings are demanded.
    """
    if not measured.subject.params.transparent:
        return (_opacity(measured),)
    if measured.subject.asset_type in (AssetType.TILESET, AssetType.UI):
        return ()
    return (_surroundings(measured),)


def _surroundings(measured: Measured) -> Verdict:
    """Score the worst picture: half for transparent corners, half for a transparent border; half of it when full."""
    icon = measured.subject.asset_type is AssetType.ICON
    border, full = (_ICON_BORDER, _ICON_FULL) if icon else (_BORDER, _FULL)
    worst = min(measured.frames, key=lambda frame: _score(frame, border, full))
    score, around = clipped(_score(worst, border, full)), worst.outskirts
    if score >= _THRESHOLD:
        reason = f"The surroundings are transparent ({around.clear_border:.0%} of the border)."
        return Verdict("transparency", score, _THRESHOLD, reason)
    reason = (
        f"{4 - around.clear_corners} of 4 corners, {1 - around.clear_border:.0%} of the border and {worst.coverage:.0%}"
        f" of {worst.picture.name!r} are opaque although a transparent background was asked for. "
        "Leave everything around the subject empty."
    )
    return Verdict("transparency", score, _THRESHOLD, reason)


def _score(frame: Frame, border: float, full: float) -> float:
    around = frame.outskirts
    score = 0.5 * around.clear_corners / 4 + 0.5 * min(around.clear_border / border, 1)
    return score / 2 if frame.coverage > full else score


def _opacity(measured: Measured) -> Verdict:
    """Score the share of opaque pixels of the worst picture."""
    worst = min(measured.frames, key=lambda frame: frame.outskirts.opaque)
    score = clipped(worst.outskirts.opaque)
    if score >= _OPACITY_THRESHOLD:
        return Verdict("opacity", score, _OPACITY_THRESHOLD, "The picture is opaque.")
    reason = (
        f"{1 - score:.1%} of {worst.picture.name!r} is transparent although an opaque picture was asked for. "
        "Fill the whole picture."
    )
    return Verdict("opacity", score, _OPACITY_THRESHOLD, reason)
