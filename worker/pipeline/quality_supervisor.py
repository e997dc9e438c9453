"""Stage 3: measuring what came, and the pipeline's one branch: on to the files, or back to the prompt."""

from collections.abc import Sequence

from domain.lifecycle import TaskStage
from worker.pipeline.judging import judge_candidate
from worker.pipeline.retry import failed_checks, may_regenerate
from worker.pipeline.run import Candidate, Run, Tools, tell
from worker.quality.measure import QualitySubject, measure


async def quality_supervisor(run: Run, tools: Tools) -> TaskStage:
    """Measure the round's pictures, have them judged, keep the verdicts, and decide."""
    newest = run.newest()
    for candidate in newest:
        subject = QualitySubject(
            asset_type=run.task.asset_type,
            params=run.params,
            style=run.style,
            pictures=candidate.result.pictures,
            details=candidate.result.details,
            clip=candidate.result.clip,
        )
        candidate.verdicts = tuple(await tools.pool.run(measure, subject))
        await judge_candidate(run, tools, candidate)
    rows = _rows(run, newest)
    failed = [candidate for candidate in newest if not candidate.passed]
    limit = tools.deps.settings.max_quality_retries
    if not may_regenerate(len(failed), run.round, limit):
        message = "quality check passed, writing files" if not failed else _gave_up(failed)
        await tell(run, tools, TaskStage.FORMAT_ADAPTER, 0, message, verdicts=rows)
        return TaskStage.FORMAT_ADAPTER
    run.open_variations = [candidate.variation for candidate in failed]
    run.round += 1
    await tell(
        run,
        tools,
        TaskStage.PROMPT_BUILDER,
        0,
        f"quality check failed ({_names(failed)}): trying again, {run.round} of {limit}",
        verdicts=rows,
        quality_retries=run.round,
    )
    return TaskStage.PROMPT_BUILDER


def _names(candidates: Sequence[Candidate]) -> str:
    names = [verdict.name for candidate in candidates for verdict in failed_checks(candidate.verdicts)]
    return ", ".join(dict.fromkeys(names))


def _gave_up(failed: Sequence[Candidate]) -> str:
    return f"quality check failed ({_names(failed)}) and no round is left: delivering the best one"


def _rows(run: Run, candidates: Sequence[Candidate]) -> list[dict[str, object]]:
    return [
        {
            "task_id": run.task.id,
            "attempt": run.task.attempt,
            "round": candidate.round,
            "variation": candidate.variation,
            "position": position,
            "name": verdict.name,
            "score": verdict.score,
            "threshold": verdict.threshold,
            "passed": verdict.passed,
            "reason": verdict.reason,
        }
        for candidate in candidates
        for position, verdict in enumerate(candidate.verdicts)
    ]
