"""The pipeline as a graph.

PROMPT_BUILDER -> ASSET_GENERATOR -> QUALITY_SUPERVISOR -> FORMAT_ADAPTER -> done, with one branch: from
QUALITY_SUPERVISOR back to PROMPT_BUILDER, as often as `WONDER_MAX_QUALITY_RETRIES` allows. With an asynchronous
provider ASSET_GENERATOR may park the task, and is entered again when the provider has answered.
"""

from collections.abc import Mapping
from typing import Final

from domain.lifecycle import TaskStage
from worker.pipeline.asset_generator import asset_generator
from worker.pipeline.format_adapter import format_adapter
from worker.pipeline.prompt_builder import prompt_builder
from worker.pipeline.quality_supervisor import quality_supervisor
from worker.pipeline.restoring import restore
from worker.pipeline.run import Parked, Run, Stage, Tools

STAGES: Final[Mapping[TaskStage, Stage]] = {
    TaskStage.PROMPT_BUILDER: prompt_builder,
    TaskStage.ASSET_GENERATOR: asset_generator,
    TaskStage.QUALITY_SUPERVISOR: quality_supervisor,
    TaskStage.FORMAT_ADAPTER: format_adapter,
}


async def run_pipeline(run: Run, tools: Tools) -> bool:
    """Go through the stages until the task is complete, or parked: then False.

    Raises `OwnershipLost` when the task is someone else's, `ProviderError`, `StorageError`, `PictureWorkLost` and what
    the picture work raises.
    """
    stage: TaskStage | Parked | None = await restore(run, tools) if run.task.external else TaskStage.PROMPT_BUILDER
    while isinstance(stage, TaskStage):
        stage = await STAGES[stage](run, tools)
    return stage is None
