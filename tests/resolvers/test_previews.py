"""What a job has made so far, as its owner sees it."""

from domain.ids import IdPrefix, new_id
from domain.lifecycle import JobState, TaskStatus
from domain.models.jobs import ExternalJob
from domain.models.tasks import Task
from tests.helpers.api import Api
from tests.helpers.sql import recorded_sql

TASKS = "{ tasks(first: 50) { edges { node { id preview } } } }"


async def job_of(api: Api, task: Task, variation: int, preview: bytes | None) -> ExternalJob:
    return await ExternalJob.create(
        id=new_id(IdPrefix.JOB),
        task_id=task.id,
        attempt=task.attempt,
        round=0,
        variation=variation,
        provider="comfyui",
        external_id="ext",
        state=JobState.WAITING,
        seed=1,
        prompt={},
        preview=preview,
        created_at=api.room.deps.clock.now(),
    )


async def test_it_is_shown_while_the_task_runs_and_to_nobody_else(api: Api) -> None:
    task = await api.room.submit("a slime")
    job = await job_of(api, task, 1, b"RIFF")
    await job_of(api, task, 0, None)
    document = "query($id: ID!) { task(id: $id) { preview } }"
    assert (await api.ask(document, id=task.id))["task"] == {"preview": None}
    await Task.filter(id=task.id).update(status=TaskStatus.RUNNING, external_id="ext")
    assert (await api.ask(document, id=task.id))["task"] == {"preview": "data:image/webp;base64,UklGRg=="}
    assert (await api.ask(document, api.room.stranger, id=task.id))["task"] is None
    await ExternalJob.filter(id=job.id).update(state=JobState.DONE)
    assert (await api.ask(document, id=task.id))["task"] == {"preview": None}


async def test_those_of_many_tasks_take_one_statement(api: Api) -> None:
    for number in range(12):
        task = await api.room.submit(f"slime {number}")
        await Task.filter(id=task.id).update(status=TaskStatus.RUNNING, external_id="ext")
        await job_of(api, task, 0, b"RIFF")
    with recorded_sql() as statements:
        edges = (await api.ask(TASKS))["tasks"]["edges"]
    assert {edge["node"]["preview"] for edge in edges} == {"data:image/webp;base64,UklGRg=="}
    assert len(statements) == 2
