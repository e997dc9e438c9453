"""Tasks that start from another task's picture, and chains made in one call."""

from dataclasses import replace

import pytest

from domain.errors import Conflict, DomainError, InvalidInput, NotFound, ProviderUnavailable, TaskLimitReached
from domain.kinds import AssetType, TaskKind
from domain.lifecycle import TaskStatus
from domain.models.accounts import User
from domain.models.tasks import IdempotencyKey, Task, TaskDependency
from domain.tasks.references import Submission
from domain.tasks.release import fail_dependants, release
from domain.tasks.requests import MAX_DEPENDENCIES, GenerateRequest
from domain.tasks.service import Tasks
from tests.helpers.room import OpenCatalog, Room


def wish(room: Room, prompt: str, **fields: object) -> GenerateRequest:
    fields = {"project_id": room.project.id, "asset_type": AssetType.SPRITE, **fields}
    return GenerateRequest(prompt=prompt, **fields)  # type: ignore[arg-type]


async def made(room: Room, *requests: GenerateRequest, all_or_nothing: bool = False) -> list[Submission | DomainError]:
    return await room.tasks.submit_batch(room.user, requests, all_or_nothing=all_or_nothing)


def task_of(answer: Submission | DomainError) -> Task:
    assert isinstance(answer, Submission)
    return answer.task


async def waited_for(task: Task) -> set[str]:
    return {row.depends_on_id for row in await TaskDependency.filter(task_id=task.id)}


async def test_a_source_task_is_waited_for_and_makes_it_image_to_image(room: Room) -> None:
    first, other = await room.submit("first"), await room.submit("other")
    second = await room.submit("second", source_task_id=first.id, depends_on=(other.id, first.id))
    assert (second.kind, second.source_task_id) == (TaskKind.IMAGE_TO_IMAGE, first.id)
    assert await waited_for(second) == {first.id, other.id}
    assert await release(room.deps) == 2
    video = await room.submit("third", source_task_id=first.id, asset_type=AssetType.VIDEO)
    assert video.kind is TaskKind.IMAGE_TO_VIDEO


async def test_a_source_task_of_another_project_of_the_same_user_is_fine(room: Room) -> None:
    first = await room.submit("first")
    await type(room.project).filter(id=room.other_project.id).update(user_id=room.user.id)
    second = await room.submit("second", project_id=room.other_project.id, source_task_id=first.id)
    assert await waited_for(second) == {first.id}


async def test_what_cannot_be_a_source_is_refused_and_leaves_nothing(room: Room) -> None:
    first = await room.submit("first")
    video = await room.submit("video", asset_type=AssetType.VIDEO)
    foreign = await room.submit("foreign", user=room.stranger)
    before = await Task.all().count()
    messages = set()
    for source in (foreign.id, "tsk_01m8qx6k6zt57e22m99vq9cb52", "tsk_nothing", "", room.project.id):
        with pytest.raises(NotFound) as refused:
            await room.submit("second", source_task_id=source)
        assert refused.value.path == ("input", "sourceTaskId")
        messages.add(refused.value.message)
    assert len(messages) == 1
    with pytest.raises(InvalidInput, match="no still picture"):
        await room.submit("second", source_task_id=video.id)
    with pytest.raises(InvalidInput, match="Give one source"):
        await room.submit("second", source_task_id=first.id, source_image_id="img_x")
    many = tuple(f"tsk_{number}" for number in range(MAX_DEPENDENCIES))
    with pytest.raises(InvalidInput, match="at most 20"):
        await room.submit("second", source_task_id=first.id, depends_on=many)
    for fields in ({"source_index": 0}, {"depends_on_indexes": (0,)}):
        with pytest.raises(InvalidInput, match="Only an input of generateBatch"):
            await room.submit("second", **fields)
    assert await Task.all().count() == before


async def test_what_no_provider_can_make_from_a_picture_is_refused(room: Room) -> None:
    class TextOnly(OpenCatalog):
        def choose(self, kind: TaskKind, asset_type: AssetType, name: str | None) -> str:
            if kind is not TaskKind.TEXT_TO_IMAGE:
                raise ProviderUnavailable
            return super().choose(kind, asset_type, name)

    tasks = Tasks(replace(room.deps, catalog=TextOnly()))
    first = await room.submit("first")
    with pytest.raises(ProviderUnavailable):
        await tasks.submit(room.user, wish(room, "second", source_task_id=first.id))


async def test_the_source_task_is_part_of_what_makes_requests_equal(room: Room) -> None:
    first, other = await room.submit("first"), await room.submit("other")
    plain = await room.submit("second", depends_on=(first.id,))
    second = await room.submit("second", source_task_id=first.id)
    assert plain.id != second.id
    assert (await room.submit("second", source_task_id=first.id, depends_on=(first.id,))).id == second.id
    assert (await room.submit("second", source_task_id=other.id)).id != second.id
    keyed = await room.submit("keyed", source_task_id=first.id, idempotency_key="k")
    assert (await room.submit("keyed", source_task_id=first.id, idempotency_key="k")).id == keyed.id
    for fields in ({"source_task_id": other.id}, {"depends_on": (first.id,)}, {}):
        with pytest.raises(Conflict):
            await room.submit("keyed", idempotency_key="k", **fields)


async def test_a_chain_is_made_in_one_call(room: Room) -> None:
    answers = await made(
        room,
        wish(room, "base"),
        wish(room, "armoured", source_index=0),
        wish(room, "banner", asset_type=AssetType.BACKGROUND),
        wish(room, "on horseback", source_index=1, depends_on_indexes=(2, 0, 0)),
    )
    base, armoured, banner, rider = (task_of(answer) for answer in answers)
    assert [task.source_task_id for task in (base, armoured, banner, rider)] == [None, base.id, None, armoured.id]
    assert await waited_for(armoured) == {base.id}
    assert await waited_for(rider) == {armoured.id, banner.id, base.id}
    assert await release(room.deps) == 2


async def test_an_input_names_only_earlier_ones_and_no_circle_can_be_made(room: Room) -> None:
    answers = await made(
        room,
        wish(room, "itself", source_index=0),
        wish(room, "later", depends_on_indexes=(2,)),
        wish(room, "fine"),
        wish(room, "negative", depends_on_indexes=(-1,)),
        wish(room, "two sources", source_index=2, source_image_id="img_x"),
        wish(room, "two source tasks", source_index=2, source_task_id="tsk_x"),
    )
    assert [type(answer) for answer in answers] == [InvalidInput, InvalidInput, Submission, *[InvalidInput] * 3]
    paths = [answer.path for answer in answers if isinstance(answer, DomainError)]
    assert paths == [("input", name) for name in ("sourceIndex", *["dependsOnIndexes"] * 2, *["sourceIndex"] * 2)]
    assert "2 is not the place of an earlier input" in str(answers[1])
    assert await Task.all().count() == 1


async def test_what_names_a_refused_input_is_refused_too(room: Room) -> None:
    requests = [wish(room, " "), wish(room, "second", source_index=0), wish(room, "third", depends_on_indexes=(1,))]
    answers = await made(room, *requests, wish(room, "free"))
    assert [type(answer) for answer in answers] == [InvalidInput, Conflict, Conflict, Submission]
    nothing = await made(room, wish(room, "first"), *requests[1:2], wish(room, ""), all_or_nothing=True)
    assert [type(answer) for answer in nothing] == [Conflict, Conflict, InvalidInput]
    assert await Task.all().count() == 1


async def test_a_video_of_the_same_batch_is_no_source(room: Room) -> None:
    answers = await made(room, wish(room, "v", asset_type=AssetType.VIDEO), wish(room, "second", source_index=0))
    assert isinstance(answers[1], InvalidInput)
    assert "no still picture" in answers[1].message


async def test_a_chain_sent_twice_is_one_chain(room: Room) -> None:
    requests = [
        wish(room, "base", idempotency_key="a"),
        wish(room, "armoured", source_index=0, idempotency_key="b"),
    ]
    first = [task_of(answer).id for answer in await made(room, *requests)]
    await Task.filter(id=first[0]).update(status=TaskStatus.COMPLETED, active_fingerprint=None)
    again = await made(room, *requests)
    assert [task_of(answer).id for answer in again] == first
    assert await Task.all().count() == await IdempotencyKey.all().count() == 2
    [changed] = await made(room, wish(room, "armoured", source_task_id=first[1], idempotency_key="b"))
    assert isinstance(changed, Conflict)


async def test_the_limit_counts_the_members_of_a_chain(room: Room) -> None:
    await User.filter(id=room.user.id).update(max_active_tasks=2)
    requests = [wish(room, f"t{number}", source_index=number - 1 if number else None) for number in range(4)]
    answers = await made(room, *requests)
    assert [type(answer) for answer in answers] == [Submission, Submission, TaskLimitReached, Conflict]


async def test_a_chain_fails_as_a_whole_and_can_be_tried_again(room: Room) -> None:
    requests = [wish(room, f"t{number}", source_index=number - 1 if number else None) for number in range(3)]
    tasks = [task_of(answer) for answer in await made(room, *requests)]
    await room.tasks.cancel(room.user.id, tasks[0].id)
    assert [await fail_dependants(room.deps) for _ in range(2)] == [2, 0]
    states = [task.error_code for task in await Task.all().order_by("created_at", "id")]
    assert states == [None, "DEPENDENCY_FAILED", "DEPENDENCY_FAILED"]
    for task in tasks:
        retried = await room.tasks.retry(room.user, task.id)
        assert (retried.status, retried.source_task_id) == (TaskStatus.PENDING, task.source_task_id)
    assert await fail_dependants(room.deps) == 0
    assert await release(room.deps) == 1
