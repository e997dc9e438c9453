"""One picture that a service is asked for."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

Color = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Grid:
    """How the frames of an animation are laid out in one picture, row by row from the top left."""

    columns: int
    rows: int
    count: int
    animation: str
    #: The number of the first of these frames within its animation.
    first: int = 0


@dataclass(frozen=True, slots=True)
class Shot:
    """What to paint. `width` and `height` tell proportions and the least size of use, not what a service takes."""

    prompt: str
    negative_prompt: str
    width: int
    height: int
    #: Whether to leave the background out; only asked of services that can.
    transparent: bool
    seed: int
    #: Encoded pictures: what to paint over, and what to look at.
    source: bytes | None = None
    references: tuple[bytes, ...] = ()
    grid: Grid | None = None


@dataclass(frozen=True, slots=True)
class Painted:
    """What a service sent: an encoded picture of whatever size and type."""

    data: bytes
    seed: int | None = None
    request_id: str | None = None
    #: What the service says of its work: the prompt as it changed it, what it counts as used; JSON data.
    report: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Traits:
    """What a service's model can and cannot do."""

    transparency: bool = False
    seeds: bool = False
    #: Whether it paints over a source picture.
    edits: bool = False
    #: How many pictures it looks at besides.
    references: int = 0


class Painter(Protocol):
    """A service that paints."""

    @property
    def traits(self) -> Traits:
        """What its model can do."""
        ...

    async def paint(self, shot: Shot, progress: Callable[[float], Awaitable[None]]) -> Painted:
        """Paint one picture; raises `ProviderError`. Cancelling the call stops the work as far as the service can."""
        ...
