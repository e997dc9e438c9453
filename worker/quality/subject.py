"""What is measured."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from domain.kinds import AssetType
from domain.params import Params
from domain.styles import Style
from worker.artifacts import Picture


@dataclass(frozen=True, slots=True)
class QualitySubject:
    """One variation's pictures and what was asked for; picklable."""

    asset_type: AssetType
    params: Params
    style: Style
    pictures: tuple[Picture, ...]
    #: What the provider said; `tiles` of a tileset is read.
    details: Mapping[str, object] = field(default_factory=dict)
    #: The clip of a VIDEO, which has no pictures.
    clip: bytes | None = None
