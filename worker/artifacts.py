"""What travels between the stages of a task.

Plain, picklable values, so that any of them may cross into the process pool.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from domain.kinds import AssetType, TaskKind
from domain.params import Params
from domain.styles import Style


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """One picture, sheet or tileset that a provider is asked for.

    A provider that claims to be reproducible returns the same bytes for the same (subject, style, params, seed);
    `prompt`, `negative_prompt` and `corrections` are for services that read prose.
    """

    task_id: str
    asset_type: AssetType
    kind: TaskKind
    #: The user's own words, unchanged.
    subject: str
    #: The whole prompt as built: style, subject, technical requirements.
    prompt: str
    negative_prompt: str
    style: Style
    #: As resolved; `seed` here is the task's, `GenerationRequest.seed` the one to use.
    params: Params
    seed: int
    #: Reasons of failed quality checks in the rounds before, oldest first.
    corrections: tuple[str, ...] = ()
    #: Encoded picture for image-to-image and image-to-video.
    source_image: bytes | None = None
    #: Encoded pictures whose style is to be met, for providers that look at them.
    reference_images: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """One still picture as a provider made it: PNG bytes, RGBA, straight alpha.

    A plain asset is one picture named "image". A spritesheet is one picture per frame (`animation` set, `index` from 0,
    all of the size params.width x params.height). A tileset is one picture per tile (`animation` None, `index` the
    tile's place in row-major order, size params.tile_size squared).
    """

    data: bytes
    width: int
    height: int
    name: str = "image"
    animation: str | None = None
    index: int = 0


@dataclass(frozen=True, slots=True)
class GenerationResult:
    """What a provider made of one request."""

    pictures: tuple[Picture, ...]
    provider: str
    model: str
    seed: int | None
    request_id: str | None = None
    #: What the provider says of its picture: recognised subject, tile terrain corners, ...; JSON data.
    details: Mapping[str, object] = field(default_factory=dict)
    #: Of a VIDEO, which has no pictures: the clip as the provider made it, an MP4.
    clip: bytes | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """One measured check: passed when score >= threshold; both 0 to 1, higher is better."""

    name: str
    score: float
    threshold: float
    #: In words, for people, and for the next round's prompt when it failed.
    reason: str

    @property
    def passed(self) -> bool:
        """Tell whether the score reaches the threshold."""
        return self.score >= self.threshold


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an asset came from, as shown in the API and embedded in files when asked."""

    provider: str
    model: str
    seed: int | None
    prompt: str
    negative_prompt: str
    attempt: int
    round: int
    request_id: str | None = None
    duration_seconds: float = 0.0
    #: The prompts as they were sent, and what the service said of its work, such as its own wording and what it counts
    #: as used; JSON data.
    report: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OutputFile:
    """One finished file of an asset, ready to be stored."""

    #: Safe file name with its extension, unique within the task, at most 120 bytes of ASCII.
    name: str
    #: "image", "spritesheet", "atlas", "tileset", "preview", "archive", ...
    role: str
    media_type: str
    data: bytes
    width: int | None = None
    height: int | None = None
    #: What belongs to the format: frames, animations, palette, tile size ...; JSON data.
    metadata: Mapping[str, object] = field(default_factory=dict)
