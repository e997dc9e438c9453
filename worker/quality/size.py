"""Whether the pictures have the size that was asked for."""

from typing import Final

from domain.kinds import AssetType
from worker.artifacts import Verdict
from worker.quality.frames import Measured
from worker.quality.scores import clipped

_THRESHOLD: Final = 1.0


def check_size(measured: Measured) -> Verdict:
    """Score the share of pictures that have exactly the size asked for; all must."""
    params = measured.subject.params
    wanted = (params.width, params.height)
    if measured.subject.asset_type is AssetType.TILESET and params.tile_size is not None:
        wanted = (params.tile_size, params.tile_size)
    wrong = [frame for frame in measured.frames if frame.size != wanted]
    score = clipped(1 - len(wrong) / len(measured.frames))
    size = f"{wanted[0]} x {wanted[1]} pixels"
    if not wrong:
        return Verdict("size", score, _THRESHOLD, f"Every picture has {size}.")
    first = wrong[0]
    reason = (
        f"{len(wrong)} of {len(measured.frames)} pictures have another size than {size}: "
        f"{first.picture.name!r} has {first.size[0]} x {first.size[1]}. Draw exactly {size}."
    )
    return Verdict("size", score, _THRESHOLD, reason)
