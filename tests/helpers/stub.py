"""A provider whose delay, failures and pictures a test controls."""

import asyncio
import hashlib
import io
from collections.abc import Callable, Sequence

from PIL import Image, ImageDraw

from domain.kinds import AssetType, TaskKind
from worker.artifacts import GenerationRequest, GenerationResult, Picture
from worker.providers.base import Capabilities, ProgressCallback


def sprite(seed: int, width: int = 64, height: int = 64) -> bytes:
    """A small figure on a transparent ground that passes the checks; its colours follow the seed."""
    digest = hashlib.sha256(str(seed).encode()).digest()
    picture = Image.new("RGBA", (width, height))
    draw = ImageDraw.Draw(picture)
    base = tuple(60 + value % 120 for value in digest[:3])
    light = tuple(min(value + 70, 255) for value in base)
    draw.ellipse(
        (width // 6, height // 4, width * 5 // 6, height * 9 // 10), fill=(*base, 255), outline=(20, 16, 32, 255)
    )
    draw.ellipse((width // 4, height // 3, width // 2, height // 2), fill=(*light, 255))
    draw.rectangle((width // 2, height // 2, width // 2 + 4, height // 2 + 6), fill=(250, 250, 250, 255))
    return encoded(picture)


def blank(width: int = 64, height: int = 64) -> bytes:
    """A picture that fails the checks: nothing on it."""
    return encoded(Image.new("RGBA", (width, height)))


def encoded(picture: Image.Image) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


class StubProvider:
    """Returns what `draw` says, raises what `failures` holds, and waits at `gate` while that is closed."""

    name = "stub"
    model = "stub-1"
    capabilities = Capabilities(frozenset(TaskKind), frozenset(AssetType))

    def __init__(self, draw: Callable[[GenerationRequest], bytes] | None = None) -> None:
        self.draw = draw or (lambda request: sprite(request.seed, request.params.width, request.params.height))
        self.failures: list[Exception] = []
        self.requests: list[GenerationRequest] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.waiting = asyncio.Event()
        self.cancelled = 0
        self.shares: Sequence[float] = (0.5,)

    async def generate(self, request: GenerationRequest, progress: ProgressCallback) -> GenerationResult:
        self.requests.append(request)
        for share in self.shares:
            await progress(share)
        self.waiting.set()
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.failures:
            raise self.failures.pop(0)
        picture = Picture(self.draw(request), request.params.width, request.params.height)
        return GenerationResult((picture,), self.name, self.model, request.seed)
