"""Finished files."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, cast

import strawberry

from domain.models import tasks
from schema.context import Info
from schema.declare import described, output, resolved
from schema.loaders import existing
from schema.node import Node
from schema.scalars import JSON
from schema.types.task import Task
from schema.types.task_parts import QualityCheck

#: Longest side of a picture that is its own thumbnail, in pixels; larger ones have one of their own.
_SMALL: Final = 256


@output
class Provenance:
    """Where an asset came from."""

    provider: str = described("Who made it.")
    model: str = described("Model or version.")
    seed: int | None = described("What its randomness began with; null when the provider does not say.")
    prompt: str = described("The whole prompt: style, subject, technical requirements.")
    negative_prompt: str = described("What was asked to stay out.")
    attempt: int = described("In which attempt of the task.")
    round: int = described("In which round of the attempt, from 0.")
    request_id: str | None = described("The provider's own id of the request.")
    duration_seconds: float = described("How long the provider took.")
    report: JSON = described(
        "What was sent and what the service said of it: of each picture the prompt as it was sent (`sentPrompt`), the "
        "service's own wording of it, what it counts as used; the estimated cost."
    )

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> "Provenance":
        """Return a stored provenance as the API shows it; names that this version does not know are passed over."""
        return cls(
            provider=str(data["provider"]),
            model=str(data["model"]),
            seed=cast("int | None", data.get("seed")),
            prompt=str(data["prompt"]),
            negative_prompt=str(data["negative_prompt"]),
            attempt=cast("int", data["attempt"]),
            round=cast("int", data["round"]),
            request_id=cast("str | None", data.get("request_id")),
            duration_seconds=cast("float", data.get("duration_seconds", 0.0)),
            report=JSON(data.get("report", {})),
        )


@output
class Asset(Node):
    """One finished file."""

    name: str = described("File name, unique within the task.")
    role: str = described(
        'What it is for: "image", "spritesheet", "atlas", "tileset", "video", "preview", "thumbnail", ...'
    )
    media_type: str = described("Such as image/png.")
    width: int | None = described("In pixels; null for what is no picture.")
    height: int | None = described("In pixels; null for what is no picture.")
    size_bytes: int = described("Size of the file.")
    sha256: str = described("Hash of the file, in hexadecimal.")
    variation: int = described("Of which of the pictures that `count` asked for, from 0.")
    provenance: Provenance = described("Where it came from.")
    metadata: JSON = described("What belongs to the format: frames, animations, palette, tile size ...")
    created_at: datetime = described("When it was stored.")
    task_id: strawberry.Private[str]
    storage_key: strawberry.Private[str]

    @resolved
    async def task(self, info: Info) -> Task:
        """The task that made it."""
        return existing(await info.context.loaders.task.load(self.task_id))

    @resolved
    def url(self, info: Info) -> str:
        """Where to fetch it, as it is; signed and good for a limited time, or the CDN's."""
        return self.address(info)

    @resolved
    async def thumbnail_url(self, info: Info) -> str | None:
        """Where to fetch a picture for lists: at most 256 pixels a side, or a moving preview; null without."""
        if self.is_small_picture:
            return self.address(info)
        for other in await info.context.loaders.assets_of_task.load(self.task_id):
            if other.role == "thumbnail" and self.name in cast("dict[str, list[str]]", other.metadata).get("of", []):
                return other.address(info)
        return None

    @property
    def is_small_picture(self) -> bool:
        """Tell whether lists can show the file itself."""
        if self.width is None or self.height is None or not self.media_type.startswith("image/"):
            return False
        return self.role == "preview" or max(self.width, self.height) <= _SMALL

    def address(self, info: Info) -> str:
        """Return where it is to be fetched."""
        return info.context.services.storage.url(
            self.storage_key,
            media_type=self.media_type,
            download_name=self.name,
            base_url=info.context.base_url,
        )

    @resolved
    async def quality_checks(self, info: Info) -> list[QualityCheck]:
        """The verdicts of the round that was delivered."""
        made = (self.provenance.attempt, self.provenance.round, self.variation)
        checks = await info.context.loaders.checks_of_task.load(self.task_id)
        return [check for check in checks if (check.attempt, check.round, check.variation) == made]

    @classmethod
    def from_row(cls, row: tasks.Asset) -> "Asset":
        """Return an asset as the API shows it."""
        return cls(
            id=strawberry.ID(row.id),
            name=row.name,
            role=row.role,
            media_type=row.media_type,
            width=row.width,
            height=row.height,
            size_bytes=row.size_bytes,
            sha256=row.sha256,
            variation=row.variation,
            provenance=Provenance.from_json(row.provenance),
            metadata=JSON(row.metadata),
            created_at=row.created_at,
            task_id=row.task_id,
            storage_key=row.storage_key,
        )
