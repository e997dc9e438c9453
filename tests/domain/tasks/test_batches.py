"""Many requests in one answer, and many cancellations."""

import asyncio

import pytest

from domain.errors import Conflict, DomainError, InvalidInput, TaskLimitReached
from domain.kinds import AssetType
from domain.lifecycle import TaskStatus
from domain.models.accounts import User
from domain.models.tasks import IdempotencyKey, Task, TaskEventRow
from domain.tasks.queries import TaskFilter
from domain.tasks.references import Submission
from domain.tasks.requests import GenerateRequest
from domain.tasks.submission import MAX_BATCH
from tests.helpers.room import Room


def wishes(room: Room, *prompts: str, **fields: object) -> list[GenerateRequest]:
    return [GenerateRequest(room.project.id, prompt, AssetType.ICON, **fields) for prompt in prompts]  # type: ignore[arg-type]


async def test_a_batch_has_one_answer_for_each_input_in_its_order(room: Room) -> None:
    answers = await room.tasks.submit_batch(room.user, wishes(room, "a", " ", "b", "a"), all_or_nothing=False)
    first, refused, second, again = answers
    assert isinstance(first, Submission)
    assert isinstance(second, Submission)
    assert isinstance(again, Submission)
    assert isinstance(refused, InvalidInput)
    assert (first.task.prompt, second.task.prompt) == ("a", "b")
    assert (again.task.id, again.deduplicated) == (first.task.id, True)
    assert await Task.all().count() == await TaskEventRow.all().count() == 2


async def test_one_refusal_undoes_all_when_asked(room: Room) -> None:
    requests = [*wishes(room, "a", "b", idempotency_key=None), *wishes(room, "")]
    answers = await room.tasks.submit_batch(room.user, requests, all_or_nothing=True)
    assert [type(answer) for answer in answers] == [Conflict, Conflict, InvalidInput]
    assert await Task.all().count() == await TaskEventRow.all().count() == await IdempotencyKey.all().count() == 0
    kept = await room.tasks.submit_batch(room.user, requests[:2], all_or_nothing=True)
    assert all(isinstance(answer, Submission) for answer in kept)


async def test_limits_are_exact_within_and_between_batches(room: Room) -> None:
    await User.filter(id=room.user.id).update(max_active_tasks=5)
    prompts = [[f"{batch}-{number}" for number in range(4)] for batch in range(5)]
    answers = await asyncio.gather(
        *(room.tasks.submit_batch(room.user, wishes(room, *batch), all_or_nothing=False) for batch in prompts)
    )
    flat = [answer for batch in answers for answer in batch]
    assert sum(isinstance(answer, Submission) for answer in flat) == 5
    assert sum(isinstance(answer, TaskLimitReached) for answer in flat) == 15
    whole = await room.tasks.submit_batch(room.user, wishes(room, "x", "y"), all_or_nothing=True)
    assert all(isinstance(answer, DomainError) for answer in whole)
    assert await Task.all().count() == 5


async def test_a_batch_of_all_or_nothing_over_the_limit_says_what_is_there_and_what_it_asks_for(room: Room) -> None:
    await User.filter(id=room.user.id).update(max_active_tasks=3)
    await room.submit("there before")
    answers = await room.tasks.submit_batch(
        room.user, wishes(room, "a", "b", "a", "c", "d", idempotency_key=None), all_or_nothing=True
    )
    refused = (
        "You have 1 active tasks and may have 3. Inputs of this batch before this one ask for 2. Ask for fewer at once."
    )
    assert [str(answer) for answer in answers[3:]] == [refused] * 2
    assert await Task.all().count() == 1
    answers = await room.tasks.submit_batch(room.user, wishes(room, "a", "b", "c"), all_or_nothing=False)
    assert str(answers[2]) == "You have 3 active tasks and may have 3. Wait until one has ended, or cancel one."


async def test_a_batch_is_bounded(room: Room) -> None:
    for count in (0, MAX_BATCH + 1):
        with pytest.raises(InvalidInput):
            await room.tasks.submit_batch(room.user, wishes(room, *map(str, range(count))), all_or_nothing=False)


async def test_cancelling_many_touches_only_what_fits_and_only_ones_own(room: Room) -> None:
    mine = [await room.submit(prompt) for prompt in ("red cat", "red dog", "blue cat")]
    foreign = await room.submit("red cat", user=room.stranger)
    assert await room.tasks.cancel_many(room.user.id, TaskFilter(search="RED")) == 2
    assert await room.tasks.cancel_many(room.user.id, TaskFilter(search="red")) == 0
    assert await room.tasks.cancel_many(room.user.id, TaskFilter(project_id=room.other_project.id)) == 0
    assert await room.tasks.cancel_many(room.user.id, TaskFilter()) == 1
    statuses = {task.id: task.status for task in await Task.all()}
    assert [statuses[task.id] for task in mine] == [TaskStatus.CANCELLED] * 3
    assert statuses[foreign.id] is TaskStatus.PENDING
