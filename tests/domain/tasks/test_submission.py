"""`generate`: durable, deduplicated, limited."""

import asyncio
from datetime import timedelta

import pytest

from domain.errors import Conflict, InvalidInput, NotFound, QueueFull, TaskLimitReached, Unauthenticated
from domain.kinds import AssetType, Role
from domain.lifecycle import TaskStatus
from domain.models.accounts import User
from domain.models.tasks import IdempotencyKey, Task, TaskEventRow
from domain.params import ParamsRequest
from domain.styles import Style, StyleChange, change_style, style_to_json
from domain.tasks import admission
from domain.tasks.deps import TaskDeps
from domain.tasks.requests import GenerateRequest
from domain.tasks.service import Tasks
from tests.conftest import MovableClock
from tests.helpers.room import Room


def limited(room: Room, **limits: int) -> Tasks:
    settings = room.deps.settings.model_copy(update=limits)
    return Tasks(TaskDeps(settings, room.deps.clock, room.broadcaster, room.queue, room.deps.catalog))


def request(room: Room, prompt: str = "a green slime", project: str | None = None, **fields: object) -> GenerateRequest:
    return GenerateRequest(project or room.project.id, prompt, AssetType.SPRITE, **fields)  # type: ignore[arg-type]


async def test_a_request_becomes_a_pending_row_with_its_first_event(room: Room) -> None:
    submission = await room.tasks.submit(room.user, request(room, "  一只绿色的史莱姆 👾‍🎨 \u202eabc  "))
    stored = await Task.get(id=submission.task.id)
    events = await TaskEventRow.filter(task_id=stored.id)
    assert not submission.deduplicated
    assert (stored.status, stored.prompt, stored.sequence) == (TaskStatus.PENDING, "一只绿色的史莱姆 👾‍🎨 \u202eabc", 1)
    assert [(event.sequence, event.status) for event in events] == [(1, TaskStatus.PENDING)]
    assert isinstance(stored.params["seed"], int)


async def test_identical_requests_are_one_task_while_it_is_active(room: Room) -> None:
    first = await room.submit()
    again = await room.tasks.submit(room.user, request(room, params=ParamsRequest(width=64, count=1)))
    assert (again.task.id, again.deduplicated) == (first.id, True)
    assert (await room.submit(params=ParamsRequest(width=32))).id != first.id
    assert (await room.submit(params=ParamsRequest(seed=0))).id != first.id
    await room.tasks.cancel(room.user.id, first.id)
    assert (await room.submit()).id != first.id


async def test_another_style_makes_another_request(room: Room) -> None:
    first = await room.submit()
    style = change_style(Style(), StyleChange(mood="gloomy"))
    room.project.style = style_to_json(style)
    await room.project.save()
    assert (await room.submit()).id != first.id


async def test_identical_requests_of_two_users_are_two_tasks(room: Room) -> None:
    assert (await room.submit()).id != (await room.submit(user=room.stranger)).id


async def test_fifty_identical_requests_at_once_make_one_task(room: Room) -> None:
    submissions = await asyncio.gather(*(room.tasks.submit(room.user, request(room)) for _ in range(50)))
    assert len({submission.task.id for submission in submissions}) == 1
    assert sum(not submission.deduplicated for submission in submissions) == 1
    assert await Task.all().count() == 1


async def test_the_users_limit_is_exact_under_fifty_parallel_requests(room: Room) -> None:
    tasks = limited(room, max_active_tasks=3)
    results = await asyncio.gather(
        *(tasks.submit(room.user, request(room, f"slime {n}")) for n in range(50)), return_exceptions=True
    )
    refused = [result for result in results if isinstance(result, TaskLimitReached)]
    assert (len(refused), await Task.all().count(), await TaskEventRow.all().count()) == (47, 3, 3)
    assert "3 active tasks and may have 3" in refused[0].message


async def test_a_users_own_limit_wins_over_the_servers(room: Room) -> None:
    tasks = limited(room, max_active_tasks=3)
    await User.filter(id=room.user.id).update(max_active_tasks=1)
    await tasks.submit(room.user, request(room))
    with pytest.raises(TaskLimitReached):
        await tasks.submit(room.user, request(room, "another"))


async def test_the_roles_limit_is_exact_under_fifty_parallel_requests_of_each_user(room: Room) -> None:
    tasks = limited(room, max_active_tasks=50)
    await admission.set_role_limit(Role.USER, 5)
    await User.filter(id=room.stranger.id).update(max_active_tasks=2)
    wanted = [(user, n) for n in range(25) for user in (room.user, room.stranger)]
    projects = {room.user.id: room.project.id, room.stranger.id: room.other_project.id}
    results = await asyncio.gather(
        *(tasks.submit(user, request(room, f"slime {n}", project=projects[user.id])) for user, n in wanted),
        return_exceptions=True,
    )
    refused = [str(result) for result in results if isinstance(result, TaskLimitReached)]
    assert len(refused) == 50 - 5 - 2
    assert await Task.filter(user_id=room.user.id).count() == 5
    assert await Task.filter(user_id=room.stranger.id).count() == 2
    assert {message.partition(".")[0] for message in refused} == {
        "You have 5 active tasks and may have 5",
        "You have 2 active tasks and may have 2",
    }


async def test_the_users_limit_comes_before_the_roles_and_that_before_the_servers(room: Room) -> None:
    settings = room.deps.settings.model_copy(update={"max_active_tasks": 7})
    found = [admission.active_limit(own, of_role, settings) for own in (None, 0) for of_role in (None, 0, 9)]
    assert [(limit.max_active_tasks, limit.source) for limit in found] == [
        (7, "SERVER"),
        (0, "ROLE"),
        (9, "ROLE"),
        *[(0, "USER")] * 3,
    ]
    await admission.set_role_limit(Role.USER, 1)
    await admission.set_role_limit(Role.USER, 2)
    assert await admission.role_limits() == {Role.USER: 2}
    await admission.set_role_limit(Role.USER, None)
    assert await admission.role_limits() == {}


async def test_a_limit_of_none_at_all_lets_nothing_in_and_a_new_one_holds_at_once(room: Room) -> None:
    await admission.set_role_limit(Role.USER, 0)
    with pytest.raises(TaskLimitReached, match=r"may have 0\. Ask an administrator"):
        await room.submit()
    await admission.set_role_limit(Role.USER, 1)
    await room.submit()


async def test_what_asks_after_its_account_is_gone_leaves_nothing(room: Room) -> None:
    await User.filter(id=room.user.id).delete()
    with pytest.raises(Unauthenticated):
        await room.submit()
    assert await Task.all().count() == 0


async def test_a_full_server_refuses_with_a_time_to_retry_and_leaves_nothing(room: Room) -> None:
    tasks = limited(room, max_pending_tasks=5)
    results = await asyncio.gather(
        *(tasks.submit(room.user, request(room, f"slime {n}", idempotency_key=f"k{n}")) for n in range(20)),
        return_exceptions=True,
    )
    refused = [result for result in results if isinstance(result, QueueFull)]
    assert (len(refused), await Task.all().count(), await IdempotencyKey.all().count()) == (15, 5, 5)
    assert refused[0].retry_after_seconds
    known = await tasks.submit(room.user, request(room, "slime 0" if await _is_in("slime 0") else await _some_prompt()))
    assert known.deduplicated


async def _is_in(prompt: str) -> bool:
    return await Task.filter(prompt=prompt).exists()


async def _some_prompt() -> str:
    task = await Task.all().first()
    assert task is not None
    return task.prompt


async def test_a_key_leads_to_its_task_for_a_day_whatever_became_of_it(room: Room, clock: MovableClock) -> None:
    first = await room.submit(idempotency_key="order-1")
    await room.tasks.cancel(room.user.id, first.id)
    clock.advance(timedelta(hours=23, minutes=59).total_seconds())
    assert (await room.submit(idempotency_key="order-1")).id == first.id
    clock.advance(120)
    assert (await room.submit(idempotency_key="order-1")).id != first.id


async def test_a_key_with_another_body_is_a_conflict(room: Room) -> None:
    first = await room.submit(idempotency_key="order-1")
    with pytest.raises(Conflict):
        await room.submit("a red slime", idempotency_key="order-1")
    with pytest.raises(Conflict):
        await room.submit(idempotency_key="order-1", priority=3)
    assert [task.id for task in await Task.all()] == [first.id]
    assert (await room.submit(idempotency_key="order-1", user=room.stranger)).id != first.id


async def test_twenty_requests_with_one_key_at_once_make_one_task(room: Room) -> None:
    tasks = await asyncio.gather(*(room.submit(idempotency_key="k") for _ in range(20)))
    assert len({task.id for task in tasks}) == 1


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"prompt": "  "}, "prompt"),
        ({"prompt": "x" * 4001}, "prompt"),
        ({"prompt": "a\x00b"}, "prompt"),
        ({"prompt": "a\ud800b"}, "prompt"),
        ({"priority": 10}, "priority"),
        ({"idempotency_key": ""}, "idempotencyKey"),
        ({"params": ParamsRequest(width=15)}, "params"),
        ({"depends_on": tuple(f"tsk_{n}" for n in range(21))}, "dependsOn"),
        ({"provider": "nobody"}, "provider"),
    ],
)
async def test_bad_input_names_its_field_and_changes_nothing(room: Room, fields: dict[str, object], path: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        await room.submit(**fields)  # type: ignore[arg-type]
    assert caught.value.path is not None
    assert path in caught.value.path
    assert await Task.all().count() == 0


async def test_what_is_someone_elses_does_not_exist(room: Room) -> None:
    foreign = await room.submit(user=room.stranger)
    for fields in (
        {"project_id": room.other_project.id},
        {"project_id": "prj_nothing"},
        {"depends_on": (foreign.id,)},
        {"source_image_id": "img_nothing"},
    ):
        with pytest.raises(NotFound):
            await room.submit("mine", **fields)
    assert await Task.filter(user_id=room.user.id).count() == 0
