"""Stage 2: pictures from a provider."""

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from domain.lifecycle import TaskStage
from domain.tasks import jobs as rows
from worker.pipeline.asking import ask
from worker.pipeline.jobs import generate_in_jobs
from worker.pipeline.run import Parked, Run, Tools, picture_request, tell
from worker.providers.base import AsynchronousProvider, Provider, ProviderError
from worker.providers.registry import AnyProvider

#: Progress within the stage is told at most this often: each telling is a row.
PROGRESS_INTERVAL_SECONDS: Final = 0.25


async def asset_generator(run: Run, tools: Tools) -> TaskStage | Parked:
    """Ask the provider for every picture that is still wanted."""
    provider = tools.providers.get(run.provider_name)
    tried = [provider.name]
    while isinstance(provider, AsynchronousProvider):
        try:
            if not await generate_in_jobs(run, tools, provider):
                return Parked()
            break
        except ProviderError as error:
            provider = await _next_provider(run, tools, error, tried)
            tried.append(provider.name)
    else:
        await _generate(run, tools, provider)
    await tell(run, tools, TaskStage.QUALITY_SUPERVISOR, 0, "generated, checking the quality")
    return TaskStage.QUALITY_SUPERVISOR


async def _next_provider(run: Run, tools: Tools, error: ProviderError, tried: Sequence[str]) -> AnyProvider:
    """Return who takes over when a provider of jobs took none and nothing was paid; else raises the error."""
    task = run.task
    movable = error.unpaid and task.requested_provider is None and not await rows.jobs_of(task)
    other = tools.providers.next_of_all(task.kind, task.asset_type, tried) if movable else None
    if other is None:
        raise error
    message = f"{tried[-1]} could not be had ({error.code}), generating with {other.name}"
    run.provider_name = other.name
    await tell(run, tools, TaskStage.ASSET_GENERATOR, 0, message, provider=other.name, external=False)
    return other


async def _generate(run: Run, tools: Tools, provider: Provider) -> None:
    total = len(run.open_variations)
    for place, variation in enumerate(run.open_variations):
        request = picture_request(run, variation)
        started = time.monotonic()
        provider, result = await ask(run, tools, provider, request, _progress(run, tools, place, total))
        run.add(variation, request.seed, result, time.monotonic() - started)


def _progress(run: Run, tools: Tools, place: int, total: int) -> Callable[[float], Awaitable[None]]:
    told_at = time.monotonic()

    async def progress(share: float) -> None:
        nonlocal told_at
        now = time.monotonic()
        if now - told_at < PROGRESS_INTERVAL_SECONDS:
            return
        told_at = now
        which = f" picture {place + 1} of {total}" if total > 1 else ""
        await tell(run, tools, TaskStage.ASSET_GENERATOR, (place + share) / total, f"generating{which}")

    return progress
