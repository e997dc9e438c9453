"""Taking an attempt up again where it stands: what was made and judged is read back, not made again."""

from collections import defaultdict

from domain.lifecycle import JobState, TaskStage
from domain.models.tasks import QualityCheckRow, Task
from domain.tasks.jobs import jobs_of
from worker.artifacts import Verdict
from worker.pipeline.job_results import load_result
from worker.pipeline.jobs import duration_seconds
from worker.pipeline.prompt_builder import build_prompts
from worker.pipeline.prompts import BuiltPrompt
from worker.pipeline.run import Candidate, Run, Tools


async def restore(run: Run, tools: Tools) -> TaskStage:
    """Bring a run to where its task's row says that the attempt stands; returns the stage to enter.

    Raises `StorageError`, `ProviderError`.
    """
    task = run.task
    run.round = task.quality_retries
    judged = await _verdicts(task)
    for job in await jobs_of(task):
        verdicts = judged.get((job.round, job.variation))
        if job.state is JobState.FETCHED and verdicts is not None:
            result = await load_result(tools.storage, job)
            prompt, seconds = BuiltPrompt(**job.prompt), duration_seconds(job)
            candidate = Candidate(job.variation, job.round, job.seed, prompt, result, seconds, tuple(verdicts))
            run.candidates.setdefault(job.variation, []).append(candidate)
    if task.stage is TaskStage.FORMAT_ADAPTER:
        return TaskStage.FORMAT_ADAPTER
    run.open_variations = [number for number in run.open_variations if not _has_passed(run, number)]
    build_prompts(run)
    return TaskStage.ASSET_GENERATOR


def _has_passed(run: Run, variation: int) -> bool:
    candidates = run.candidates.get(variation)
    return candidates is not None and candidates[-1].passed


async def _verdicts(task: Task) -> dict[tuple[int, int], list[Verdict]]:
    """Return the verdicts of the present attempt by round and variation."""
    found: defaultdict[tuple[int, int], list[Verdict]] = defaultdict(list)
    for row in await QualityCheckRow.filter(task_id=task.id, attempt=task.attempt).order_by("position"):
        found[row.round, row.variation].append(Verdict(row.name, row.score, row.threshold, row.reason))
    return dict(found)
