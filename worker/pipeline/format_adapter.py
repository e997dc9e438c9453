"""Stage 4: files from pictures, stored first and named by rows after, in one transaction."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict

from domain.finishing import finished
from domain.ids import IdPrefix, new_id
from domain.lifecycle import TaskStage
from domain.models.tasks import Asset
from domain.storage.keys import output_key
from domain.tasks.work import complete
from worker.artifacts import GenerationResult, OutputFile, Provenance
from worker.pipeline.adapt import AdaptJob, adapt
from worker.pipeline.run import Candidate, Run, Tools, tell
from worker.quality.choice import best_round


async def format_adapter(run: Run, tools: Tools) -> None:
    """Convert, pack and store the best candidate of every variation, and complete the task."""
    chosen = [_best(candidates) for _, candidates in sorted(run.candidates.items())]
    degraded = any(not candidate.passed for candidate in chosen)
    assets: list[Asset] = []
    for place, candidate in enumerate(chosen):
        provenance = _provenance(run, candidate)
        for file in await tools.pool.run(adapt, _job(run, candidate, provenance)):
            assets.append(await _store(run, tools, candidate, provenance, file, len(assets)))
        if place + 1 < len(chosen):
            await tell(run, tools, TaskStage.FORMAT_ADAPTER, (place + 1) / len(chosen), "writing files")
    number = f"{len(assets)} file{'s' if len(assets) != 1 else ''}"
    message = f"completed: {number}" + (", although the quality check never passed" if degraded else "")
    # Not to be interrupted: half a completion would leave it unknown whether the files are the task's.
    await finished(complete(tools.deps, run.claim, assets, message, degraded=degraded))


def _best(candidates: list[Candidate]) -> Candidate:
    """Return the candidate to deliver: the one that passed, which is the last, else the best of all."""
    if candidates[-1].passed:
        return candidates[-1]
    return candidates[best_round([candidate.verdicts for candidate in candidates])]


def _provenance(run: Run, candidate: Candidate) -> Provenance:
    result = candidate.result
    return Provenance(
        provider=result.provider,
        model=result.model,
        seed=candidate.seed if result.seed is None else result.seed,
        prompt=candidate.prompt.text,
        negative_prompt=candidate.prompt.negative,
        attempt=run.task.attempt,
        round=candidate.round,
        request_id=result.request_id,
        duration_seconds=candidate.duration_seconds,
        report=_report(result),
    )


def _details(result: GenerationResult) -> dict[str, object]:
    """Return what is said of the pictures; what is said of the service belongs to the provenance."""
    return {name: value for name, value in result.details.items() if name != "service"}


def _report(result: GenerationResult) -> Mapping[str, object]:
    said = result.details.get("service")
    return said if isinstance(said, Mapping) else {}


def _job(run: Run, candidate: Candidate, provenance: Provenance) -> AdaptJob:
    return AdaptJob(
        task_id=run.task.id,
        subject=run.task.prompt,
        asset_type=run.task.asset_type,
        params=run.params,
        style=run.style,
        pictures=candidate.result.pictures,
        provenance=provenance,
        details=candidate.result.details,
        variation=candidate.variation,
        variations=run.params.count,
        clip=candidate.result.clip,
    )


async def _store(
    run: Run, tools: Tools, candidate: Candidate, provenance: Provenance, file: OutputFile, position: int
) -> Asset:
    task = run.task
    key = output_key(str(task.user_id), task.project_id, task.id, run.claim.owner_token, file.name)
    run.written_keys.append(key)  # before the write: an interrupted one may have happened
    await tools.storage.put(key, file.data, file.media_type)
    return Asset(
        id=new_id(IdPrefix.ASSET),
        user_id=task.user_id,
        project_id=task.project_id,
        task_id=task.id,
        asset_type=task.asset_type,
        name=file.name,
        role=file.role,
        media_type=file.media_type,
        width=file.width,
        height=file.height,
        size_bytes=len(file.data),
        sha256=hashlib.sha256(file.data).hexdigest(),
        storage_key=key,
        variation=candidate.variation,
        provenance=asdict(provenance),
        metadata={**file.metadata, "details": _details(candidate.result)} if position == 0 else dict(file.metadata),
        position=position,
        created_at=tools.deps.clock.now(),
    )
