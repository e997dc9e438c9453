"""Stage 1: the prompts of this round, which know why the rounds before were not good enough."""

from domain.lifecycle import TaskStage
from worker.pipeline.prompts import build_prompt
from worker.pipeline.retry import failed_checks
from worker.pipeline.run import Run, Tools, tell


async def prompt_builder(run: Run, tools: Tools) -> TaskStage:
    """Build a prompt for every picture that is still wanted."""
    build_prompts(run)
    await tell(
        run,
        tools,
        TaskStage.ASSET_GENERATOR,
        0,
        f"prompt built, generating with {run.provider_name}",
        provider=run.provider_name,
    )
    return TaskStage.ASSET_GENERATOR


def build_prompts(run: Run) -> None:
    """Give every picture that is still wanted its prompt of this round."""
    for variation in run.open_variations:
        reasons = [
            verdict.reason
            for candidate in run.candidates.get(variation, ())
            for verdict in failed_checks(candidate.verdicts)
        ]
        run.prompts[variation] = build_prompt(run.style, run.task.prompt, run.task.asset_type, run.params, reasons)
