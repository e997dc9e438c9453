"""A whole working half of a process: real rows, files and picture processes, a provider that tests control."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from domain.models.tasks import Asset, Task
from domain.outbox import Outbox
from domain.settings import Settings
from domain.storage.local import LocalStorage
from domain.storage.signing import UrlSigner
from domain.tasks.deps import TaskDeps
from domain.tasks.recovery import recover_at_start
from domain.tasks.service import Tasks
from tests.helpers.room import Room
from tests.helpers.stub import StubProvider
from worker.dispatcher import Dispatcher
from worker.duties.purge import purge_duty
from worker.duties.reconcile import reconcile_duty
from worker.engine import Engine
from worker.jobs.canceller import Canceller
from worker.jobs.checker import Checker
from worker.jobs.previews import Previews
from worker.pipeline.run import Tools
from worker.process_pool import ProcessPool
from worker.providers.judge.judge import Judge
from worker.providers.registry import AnyProvider, ProviderRegistry
from worker.providers.terms import Terms


@dataclass
class Workshop:
    """An engine at work."""

    room: Room
    tasks: Tasks
    provider: StubProvider
    storage: LocalStorage
    files: Path
    engine: Engine
    deps: TaskDeps
    tools: Tools
    checker: Checker
    canceller: Canceller
    outbox: Outbox

    async def submit(self, prompt: str = "a green slime", **fields: Any) -> Task:
        self.room.tasks = self.tasks
        return await self.room.submit(prompt, **fields)

    async def ended(self, task: Task, seconds: float = 30) -> Task:
        """Wait until the task has ended, and return its row."""
        async with asyncio.timeout(seconds):
            async for _ in self.tasks.follow(str(task.user_id), task.id, None):
                pass
        return await Task.get(id=task.id)

    def stored(self) -> list[Path]:
        # Folders may go while they are walked through, which `rglob` does not survive.
        return [Path(folder) / name for folder, _, names in os.walk(self.files) for name in names]

    async def assets(self, task: Task) -> list[Asset]:
        return await Asset.filter(task_id=task.id).order_by("position")


@contextlib.asynccontextmanager
async def workshop(
    room: Room,
    pool: ProcessPool,
    folder: Path,
    further: Sequence[AnyProvider] = (),
    judge: Judge | None = None,
    prices: Mapping[str, float] | None = None,
    paid: Sequence[str] = (),
    terms: Mapping[str, Terms] | None = None,
    **overrides: Any,
) -> AsyncIterator[Workshop]:
    """Start an engine on the room's rows, recovering first what a predecessor left, and stop it at the end.

    Its clock stands still, so that checks of jobs are the test's to make. `paid` names the providers that charge.
    """
    settings: Settings = room.deps.settings.model_copy(update={"workers": 2, **overrides})
    dispatcher, provider = Dispatcher(), StubProvider()
    prices = prices or {}
    known = {name: Terms(price_per_image=prices.get(name), paid=name in paid) for name in {*prices, *paid}}
    registry = ProviderRegistry([provider, *further], {**known, **(terms or {})})
    deps = replace(room.deps, settings=settings, catalog=registry, wake=dispatcher.wake)
    checker, canceller = Checker(registry, Previews(pool)), Canceller(registry)

    def wake_checker() -> None:
        checker.wake()
        canceller.wake()

    deps = replace(deps, wake_checker=wake_checker)
    storage = LocalStorage(folder, UrlSigner(b"k" * 32, deps.clock, 3600))
    tools = Tools(deps, storage, registry, pool, judge=judge)
    outbox = Outbox(storage, deps.clock)
    duties = [reconcile_duty(deps), purge_duty(deps, outbox)]
    engine = Engine(deps, tools, room.queue, dispatcher, duties)
    await recover_at_start(deps)
    engine.start()
    try:
        yield Workshop(room, Tasks(deps), provider, storage, folder, engine, deps, tools, checker, canceller, outbox)
    finally:
        provider.gate.set()
        await engine.stop(0)
