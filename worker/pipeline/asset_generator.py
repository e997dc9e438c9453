"""Stage 2: pictures from a provider."""

import time
from collections.abc import Awaitable, Callable
from typing import Final

from domain.lifecycle import TaskStage
from worker.artifacts import GenerationRequest
from worker.pipeline.retry import round_seed, variation_seed
from worker.pipeline.run import Candidate, Run, Tools, tell

#: Progress within the stage is told at most this often: each telling is a row.
PROGRESS_INTERVAL_SECONDS: Final = 0.25


async def asset_generator(run: Run, tools: Tools) -> TaskStage:
    """Ask the provider for every picture that is still wanted."""
    provider = tools.providers.get(run.provider_name)
    total = len(run.open_variations)
    for place, variation in enumerate(run.open_variations):
        seed = round_seed(variation_seed(run.base_seed, variation), run.round)
        prompt = run.prompts[variation]
        request = GenerationRequest(
            task_id=run.task.id,
            asset_type=run.task.asset_type,
            kind=run.task.kind,
            subject=run.task.prompt,
            prompt=prompt.text,
            negative_prompt=prompt.negative,
            style=run.style,
            params=run.params,
            seed=seed,
            source_image=run.source_image,
        )
        started = time.monotonic()
        result = await provider.generate(request, _progress(run, tools, place, total))
        candidate = Candidate(variation, run.round, seed, prompt, result, time.monotonic() - started)
        run.candidates.setdefault(variation, []).append(candidate)
    await tell(run, tools, TaskStage.QUALITY_SUPERVISOR, 0, "generated, checking the quality")
    return TaskStage.QUALITY_SUPERVISOR


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
