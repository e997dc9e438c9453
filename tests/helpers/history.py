"""Rows of tasks that have a past: events, verdicts, files."""

from domain.ids import IdPrefix, new_id
from domain.lifecycle import TaskStage, TaskStatus
from domain.models.tasks import Asset, QualityCheckRow, Task, TaskEventRow
from tests.helpers.room import Room


def provenance(attempt: int = 1, round: int = 0) -> dict[str, object]:  # noqa: A002 (as the field is called)
    return {
        "provider": "stub",
        "model": "stub-1",
        "seed": 7,
        "prompt": "pixel art, a green slime",
        "negative_prompt": "text",
        "attempt": attempt,
        "round": round,
        "request_id": None,
        "duration_seconds": 0.25,
    }


async def finish(room: Room, task: Task, *, rounds: int = 2, files: int = 2) -> None:
    """Make a task COMPLETED in its last round, with an event and two verdicts a round, and some files."""
    now = room.deps.clock.now()
    for number in range(rounds):
        last = number == rounds - 1
        await TaskEventRow.create(
            task_id=task.id,
            project_id=task.project_id,
            sequence=task.sequence + number + 1,
            status=TaskStatus.COMPLETED if last else TaskStatus.RUNNING,
            stage=TaskStage.QUALITY_SUPERVISOR,
            progress=100 if last else 70,
            message=f"round {number}",
            attempt=1,
            quality_retries=number,
            at=now,
        )
        for position, name in enumerate(("size", "palette")):
            await QualityCheckRow.create(
                task_id=task.id,
                attempt=1,
                round=number,
                position=position,
                name=name,
                score=0.9 if last else 0.1,
                threshold=0.5,
                passed=last,
                reason=f"{name} of round {number}",
            )
    await Task.filter(id=task.id).update(
        status=TaskStatus.COMPLETED, sequence=task.sequence + rounds, finished_at=now, active_fingerprint=None
    )
    for position in range(files):
        await add_asset(room, task, position, provenance(round=rounds - 1))


async def add_asset(room: Room, task: Task, position: int, made: dict[str, object]) -> Asset:
    asset_id = new_id(IdPrefix.ASSET)
    return await Asset.create(
        id=asset_id,
        user_id=task.user_id,
        project_id=task.project_id,
        task_id=task.id,
        asset_type=task.asset_type,
        name=f"slime-{position}.png",
        role="image" if position == 0 else "preview",
        media_type="image/png",
        width=64,
        height=64,
        size_bytes=1234,
        sha256="0" * 64,
        storage_key=f"users/{task.user_id}/projects/{task.project_id}/tasks/{task.id}/output/run/{asset_id}.png",
        provenance=made,
        metadata={"palette": ["#00ff00"]},
        position=position,
        created_at=room.deps.clock.now(),
    )
