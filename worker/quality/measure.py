"""All checks over one variation's pictures."""

from domain.kinds import AssetType
from worker.artifacts import Verdict
from worker.imaging.pixels import UnreadablePicture
from worker.quality.animation import check_animation
from worker.quality.clip import measure_clip
from worker.quality.contrast import check_contrast
from worker.quality.detail import check_detail
from worker.quality.emptiness import check_emptiness
from worker.quality.frames import examine
from worker.quality.fringe import check_fringe
from worker.quality.palette import check_palette
from worker.quality.pixel_grid import check_pixel_grid
from worker.quality.sheet_cut import check_sheet_cut
from worker.quality.size import check_size
from worker.quality.subject import QualitySubject
from worker.quality.tile_edges import check_tile_edges
from worker.quality.transparency import check_transparency
from worker.quality.wrap import check_wrap

__all__ = ["QualitySubject", "measure"]


def measure(subject: QualitySubject) -> tuple[Verdict, ...]:
    """Return the verdicts, in a fixed order. Never raises for what a provider sent: that is a failed verdict."""
    if subject.asset_type is AssetType.VIDEO:
        return measure_clip(subject)
    if not subject.pictures:
        return (Verdict("readable", 0.0, 1.0, "The provider sent no picture."),)
    try:
        measured = examine(subject)
    except UnreadablePicture as error:
        return (Verdict("readable", 0.0, 1.0, f"{error} Send a complete PNG."),)
    return (
        check_emptiness(measured),
        check_detail(measured),
        check_size(measured),
        *check_transparency(measured),
        *check_fringe(measured),
        check_contrast(measured),
        *check_palette(measured),
        *check_pixel_grid(subject),
        *check_sheet_cut(subject),
        *check_animation(measured),
        *check_wrap(measured),
        *check_tile_edges(measured),
    )
