"""Asking the judge about pictures that passed the measured checks; without it, or without its answer, those decide."""

from dataclasses import replace

from domain.errors import BudgetExceeded, StorageError
from domain.kinds import AssetType
from domain.spending.ledger import give_back
from worker.artifacts import Verdict
from worker.pipeline.charging import charge_judgement
from worker.pipeline.run import Candidate, Run, Tools
from worker.pipeline.source_image import load_reference_images
from worker.process_pool import PictureWorkLost
from worker.providers.judge.contact import ContactJob
from worker.providers.judge.judge import Exhibit, Judge, NoVerdict


async def judge_candidate(run: Run, tools: Tools, candidate: Candidate) -> None:
    """Add the judge's verdict to a candidate's, and to its details whether it was given.

    What measuring has found wrong is made again anyway, so it is not judged, and clips are not either.
    """
    if tools.judge is None or not candidate.passed or not candidate.result.pictures:
        return
    exhibit = Exhibit(
        asset_type=run.task.asset_type,
        style=run.style,
        subject=run.task.prompt,
        contact=ContactJob(
            candidate.result.pictures, run.params.transparent, joined=run.task.asset_type is AssetType.TILESET
        ),
        references=await _references(run, tools),
    )
    outcome = await _ask(run, tools, tools.judge, exhibit)
    given = isinstance(outcome, Verdict)
    if isinstance(outcome, Verdict):
        candidate.verdicts = (*candidate.verdicts, outcome)
    said: dict[str, object] = {"asked": True, "answered": given}
    if isinstance(outcome, NoVerdict):
        said["reason"] = outcome.reason
    candidate.result = replace(candidate.result, details={**candidate.result.details, "judge": said})


async def _ask(run: Run, tools: Tools, judge: Judge, exhibit: Exhibit) -> Verdict | NoVerdict:
    """Return the judge's verdict, or why there is none; a budget that is used up is a reason."""
    try:
        charge = await charge_judgement(run, tools)
    except BudgetExceeded as error:
        return NoVerdict(error.message)
    try:
        outcome = await judge.judge(exhibit)
    except PictureWorkLost:
        outcome = NoVerdict("The picture could not be made ready for the judge.", unpaid=True)
    if charge is not None and isinstance(outcome, NoVerdict) and outcome.unpaid:
        await give_back(charge)
    return outcome


async def _references(run: Run, tools: Tools) -> tuple[bytes, ...]:
    if not run.style.reference_image_ids:
        return ()
    if run.reference_images is None:
        try:
            run.reference_images = await load_reference_images(run.task, run.style, tools.storage)
        except StorageError:
            return ()  # it judges by the words then
    return run.reference_images
