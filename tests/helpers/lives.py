"""Providers of jobs at servers of tests, and the ways in which a task of theirs can be left by a process that died."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from pydantic import SecretStr

from domain.callbacks import CallbackAddresses
from domain.clock import Clock, SystemClock
from domain.kinds import AssetType
from domain.lifecycle import TaskStage
from domain.models.jobs import ExternalJob
from domain.models.tasks import Task
from domain.params import ParamsRequest
from domain.provider_settings import ProviderEntry
from domain.tasks import jobs as rows
from domain.tasks import work
from tests.helpers.clients import KEY, Seconds, client_of, tls_of_nobody
from tests.helpers.clips import clip
from tests.helpers.painting import paint
from tests.helpers.requests import make_request, run_here
from tests.helpers.service import Reply, Request, ScriptedService, scripted
from tests.helpers.workshop import Workshop
from worker.pipeline.job_results import store_result
from worker.pipeline.prompts import BuiltPrompt
from worker.providers.base import AsynchronousProvider
from worker.providers.builtin.provider import RunInPool
from worker.providers.hosted import HOSTED
from worker.providers.hosting import Parts
from worker.providers.http.download import Downloader

#: A clip as small as the checks bear, and what to ask for to get it.
CLIP = clip(count=12)
SMALL: dict[str, Any] = {"width": 96, "height": 64, "duration_seconds": 0.5}


class Contract(Protocol):
    """A server of a vendor's contract whose jobs a test brings to their ends."""

    url: str

    def __call__(self, request: Request) -> Reply: ...

    @property
    def created(self) -> Sequence[str]:
        """The ids, as the provider has them, of every job ever created."""
        ...

    def finish(self, external_id: str, data: bytes) -> None: ...


@dataclass(frozen=True)
class Kind:
    """A type of provider, its contract, and how it differs from others."""

    name: str
    contract: Callable[[], Contract]
    path: str = ""
    #: Whether a job can be found by our name of it.
    finds: bool = False
    #: Whether it takes what its policy forbids, and says so of the job.
    refuses_later: bool = False
    asset_type: str = "VIDEO"
    key: str = KEY
    secret: str = ""
    fields: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join([self.name, *self.fields.values()])

    @property
    def params(self) -> dict[str, Any]:
        return SMALL if self.asset_type == "VIDEO" else {}

    def result(self) -> bytes:
        return CLIP if self.asset_type == "VIDEO" else paint("", 512, 512, transparent=False)


async def here(host: str, port: int) -> Sequence[str]:
    return ["127.0.0.1"]


@contextlib.asynccontextmanager
async def provider_of(
    kind: Kind,
    service: ScriptedService,
    run_in_pool: RunInPool = run_here,
    *,
    seconds: Seconds | None = None,
    private: bool = True,
    clock: Clock | None = None,
    addresses: CallbackAddresses | None = None,
    **options: Any,
) -> AsyncIterator[Any]:
    """The provider as the factory puts it together, but one that pays although its service is on this machine."""
    fields: dict[str, Any] = {"name": kind.name, "type": kind.name, "options": options, **kind.fields}
    entry = ProviderEntry(**fields, key=SecretStr(kind.key), secret=SecretStr(kind.secret))
    hosted = HOSTED[kind.name]
    key = hosted.key(entry, clock or SystemClock())
    way: dict[str, Any] = {"judge": key.judge, "sign": key.headers, "headers": {}}
    way["secrets"] = tuple(filter(None, (kind.key, kind.secret)))
    async with client_of(service.url + kind.path, seconds, name=kind.name, **way) as client:
        downloader = Downloader(here, tls_of_nobody(), private=private)
        yield hosted.make(Parts(entry, client, downloader, run_in_pool, addresses))


@contextlib.asynccontextmanager
async def contract_of(kind: Kind) -> AsyncIterator[tuple[ScriptedService, Any]]:
    """A served contract."""
    contract = kind.contract()
    async with scripted(otherwise=contract) as service:
        contract.url = service.url
        yield service, contract


class Loses:
    """Does what a contract says and loses the answer to some requests on the way."""

    def __init__(self, contract: Callable[[Request], Reply], lost: Callable[[Request], bool]) -> None:
        self._contract, self._lost = contract, lost

    def __call__(self, request: Request) -> Reply | bytes:
        answer = self._contract(request)
        return b"HTTP/1.1 2" if self._lost(request) else answer


async def parked(shop: Workshop, task: Task) -> Task:
    async with asyncio.timeout(30):
        while (await Task.get(id=task.id)).next_check_at is None or shop.engine.busy:
            await asyncio.sleep(0.01)
    return await Task.get(id=task.id)


async def check(shop: Workshop, seconds: float = 120) -> None:
    shop.deps.clock.advance(seconds)  # type: ignore[attr-defined]  # the movable one
    await shop.checker.check_due(shop.deps)


async def submit(shop: Workshop, kind: Kind, prompt: str = "a green slime", **fields: Any) -> Task:
    request = make_request(kind.asset_type, **kind.params)
    asked = {name: getattr(request.params, name) for name in kind.params}
    params = fields.pop("params", ParamsRequest(**asked))
    return await shop.submit(prompt, asset_type=AssetType(kind.asset_type), provider=kind.name, params=params, **fields)


#: Where a process can die, each after the one before.
STEPS = ("before the row", "before the creation", "before its answer", "before parking", "before the end", "fetched")


async def die_at(shop: Workshop, kind: Kind, provider: AsynchronousProvider, contract: Contract, step: str) -> Task:
    """Leave a task as a process leaves it that was killed at a step; `shop` has no workers."""
    place, now = STEPS.index(step), shop.deps.clock.now()
    task = await submit(shop, kind)
    await Task.filter(id=task.id).update(released_at=now)
    claim = await work.claim(shop.deps, task.id)
    assert claim is not None
    await work.step(shop.deps, claim, TaskStage.ASSET_GENERATOR, 0, "generating", provider=kind.name)
    if place == 0:
        return task
    prompt = asdict(BuiltPrompt("", "a green slime", "", ""))
    job = await rows.begin_job(shop.deps, claim, rows.JobPlan(0, 0, kind.name, 7, prompt))
    if place == 1:
        return task
    request = make_request(kind.asset_type, **kind.params)
    external_id = await provider.submit(request, job.id)
    if place == 2:
        return task
    await rows.job_created(job, external_id, now)
    if place >= 4:
        contract.finish(external_id, kind.result())
        await rows.job_done(job, now)
    if place == 5:
        job = await ExternalJob.get(id=job.id)
        result = await provider.fetch(external_id, request)
        await rows.job_fetched(job, await store_result(shop.storage, task, job, result))
    return task
