"""A room to test tasks in: real rows, the in-memory engines, a catalog that takes everything."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from domain.clock import Clock
from domain.errors import InvalidInput
from domain.ids import IdPrefix, new_id
from domain.kinds import AssetType, TaskKind
from domain.models.accounts import User
from domain.models.instances import InstanceRow
from domain.models.projects import Project
from domain.models.tasks import Task
from domain.ports import ProviderInfo
from domain.settings import Settings
from domain.styles import Style, style_to_json
from domain.tasks.deps import TaskDeps
from domain.tasks.requests import GenerateRequest
from domain.tasks.service import Tasks
from worker.broadcast.memory import MemoryBroadcaster
from worker.queue.memory import MemoryQueue


class OpenCatalog:
    """Knows one provider, which takes everything."""

    def __init__(self) -> None:
        self.prices: dict[str, int] = {}

    def choose(self, kind: TaskKind, asset_type: AssetType, name: str | None) -> str:
        if name not in (None, "stub"):
            raise InvalidInput("There is no provider of this name.", path=("input", "provider"))
        return "stub"

    def price_micros(self, name: str) -> int:
        return self.prices.get(name, 0)

    def describe(self) -> Sequence[ProviderInfo]:
        return [ProviderInfo("stub", tuple(TaskKind), tuple(AssetType), asynchronous=False, available=True, model="1")]


@dataclass
class Room:
    """Everything that the functions of `domain.tasks` take, and two users with a project each."""

    deps: TaskDeps
    queue: MemoryQueue
    broadcaster: MemoryBroadcaster
    tasks: Tasks
    user: User
    stranger: User
    project: Project
    other_project: Project
    #: What the names of hosts stand for.
    hosts: dict[str, list[str]] = field(default_factory=dict)

    async def resolve(self, host: str, port: int) -> list[str]:
        if host not in self.hosts:
            raise OSError(host)
        return self.hosts[host]

    async def submit(self, prompt: str = "a green slime", user: User | None = None, **fields: Any) -> Task:
        owner = user or self.user
        project = self.project if owner.id == self.user.id else self.other_project
        request = GenerateRequest(
            project_id=fields.pop("project_id", project.id),
            prompt=prompt,
            asset_type=fields.pop("asset_type", AssetType.SPRITE),
            **fields,
        )
        return (await self.tasks.submit(owner, request)).task


async def make_user(clock: Clock, name: str, **fields: Any) -> User:
    return await User.create(
        id=fields.pop("id", None) or new_id(IdPrefix.USER),
        email=f"{name}@example.com",
        display_name=name,
        password_hash="-",
        created_at=clock.now(),
        **fields,
    )


async def make_project(clock: Clock, user: User, style: Style | None = None) -> Project:
    return await Project.create(
        id=new_id(IdPrefix.PROJECT),
        user_id=user.id,
        name="史莱姆 game",
        style=style_to_json(style or Style()),
        created_at=clock.now(),
        updated_at=clock.now(),
    )


async def add_instance(instance_id: str, workers: int = 3) -> None:
    """Write the row of another server that lives."""
    number = await InstanceRow.all().count() + 1
    now = datetime.now(UTC)
    await InstanceRow.create(
        id=instance_id,
        number=number,
        host="elsewhere",
        process_id=1,
        version="1",
        workers=workers,
        queue_capacity=100,
        key_check="",
        storage_check="",
        started_at=now,
        seen_at=now,
    )


async def make_room(settings: Settings, clock: Clock, **overrides: Any) -> Room:
    settings = settings.model_copy(update={"max_active_tasks": 1000, **overrides})
    queue, broadcaster = MemoryQueue(settings.queue_capacity, clock), MemoryBroadcaster()
    deps = TaskDeps(settings, clock, broadcaster, queue, OpenCatalog())
    user, stranger = await make_user(clock, "ada"), await make_user(clock, "eve")
    return Room(
        deps=deps,
        queue=queue,
        broadcaster=broadcaster,
        tasks=Tasks(deps),
        user=user,
        stranger=stranger,
        project=await make_project(clock, user),
        other_project=await make_project(clock, stranger),
    )
