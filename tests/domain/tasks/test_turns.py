"""Users take turns, whatever each has queued and however few places the queue has."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.lifecycle import TaskStatus
from domain.models.accounts import User
from domain.models.tasks import GateCheck, QueueTurn, Task, TaskDependency
from domain.tasks import work
from domain.tasks.control import owned
from domain.tasks.recovery import recover_at_start
from domain.tasks.release import release
from domain.tasks.turns import Line, suspicion_of, take_turns
from domain.tasks.work import Failure
from tests.conftest import MovableClock
from tests.helpers.room import Room, make_project, make_user
from worker.queue.memory import MemoryQueue

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


def line(user: str, held: int = 0, since: int = 0) -> Line:
    return Line(user, 0, 0, held, NOW + timedelta(seconds=since), (NOW, user))


def names(lines: list[Line], room: int, lengths: dict[int, int] | None = None) -> str:
    return "".join(lines[place].user_id for place in take_turns(lines, room, lengths or {}))


def test_who_has_waited_longest_goes_first_and_then_everybody_in_turn() -> None:
    assert names([line("a", since=3), line("b", since=1), line("c", since=2)], 7) == "bcabcab"


def test_what_the_queue_holds_counts_as_turns_to_come() -> None:
    assert names([line("a", held=2), line("b"), line("c", held=1)], 6) == "bbcabc"


def test_a_line_that_ends_leaves_its_turns_to_the_others() -> None:
    assert names([line("a"), line("b")], 5, {0: 1}) == "abbbb"
    assert names([line("a"), line("b")], 5, {0: 1, 1: 2}) == "abb"


@given(
    held=st.lists(st.integers(0, 6), min_size=1, max_size=8),
    lengths=st.lists(st.integers(1, 9), min_size=8, max_size=8),
    room=st.integers(0, 40),
)
def test_nobody_is_given_two_places_more_than_another_who_could_have_them(
    held: list[int], lengths: list[int], room: int
) -> None:
    lines = [line(str(place), held=number) for place, number in enumerate(held)]
    known = dict(enumerate(lengths[: len(lines)]))
    given_places = Counter(take_turns(lines, room, known))
    assert given_places.total() == min(room, sum(known.values()))
    for one, other in ((a, b) for a in known for b in known if given_places[b] < known[b]):
        if given_places[one]:
            assert held[one] + given_places[one] <= held[other] + given_places[other] + 1


@dataclass
class World:
    """Users who submit as they like, a queue with few places, and one worker at a time."""

    room: Room
    clock: MovableClock
    users: list[User]
    projects: dict[str, str]
    #: Whose task was begun, one after the other; and for each of these moments, who had a ready task that waited.
    turns: list[str] = field(default_factory=list)
    waiting: list[set[str]] = field(default_factory=list)
    submitted: int = 0

    async def submit(self, user: User, **fields: int) -> Task:
        self.submitted += 1
        self.clock.advance(0.001)
        return await self.room.submit(f"wish {self.submitted}", user=user, project_id=self.projects[user.id], **fields)

    async def turn(self) -> bool:
        """Release what fits, begin one task and complete it; False when nothing waits."""
        await release(self.room.deps)
        if not self.room.queue._entries:
            return False
        self.clock.advance(0.001)
        ready = Task.filter(status=TaskStatus.PENDING, ready_at__lte=self.clock.now())
        self.waiting.append({str(user_id) for user_id in await ready.values_list("user_id", flat=True)})
        claim = await work.claim(self.room.deps, await self.room.queue._next())
        assert claim is not None
        self.turns.append(str(claim.task.user_id))
        await work.complete(self.room.deps, claim, [], "completed", degraded=False)
        return True

    def most_between_two_turns(self) -> int:
        """Return how many turns one user had at most while another waited for the next."""
        most = 0
        for user in self.users:
            others: Counter[str] = Counter()
            for had, waiting in zip(self.turns, self.waiting, strict=True):
                if had == user.id or user.id not in waiting:
                    others.clear()
                else:
                    others[had] += 1
                    most = max(most, *others.values())
        return most


async def world_of(room: Room, clock: MovableClock, users: int, capacity: int) -> World:
    for model in (Task, QueueTurn, GateCheck):
        await model.all().delete()
    queue = MemoryQueue(capacity, clock)
    room = replace(room, queue=queue, deps=replace(room.deps, queue=queue))
    room.tasks = type(room.tasks)(room.deps)
    made = [room.user, room.stranger]
    known = {user.email: user for user in await User.all()}
    for number in range(users - len(made)):
        name = f"user{number}"
        made.append(known.get(f"{name}@example.com") or await make_user(clock, name))
    projects = {user.id: (await make_project(clock, user)).id for user in made}
    return World(room, clock, made[:users], projects)


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    backlogs=st.lists(st.integers(0, 9), min_size=2, max_size=5),
    capacity=st.integers(1, 4),
    later=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 4)), max_size=8),
    restart=st.integers(0, 20),
)
@pytest.mark.slow
async def test_between_two_turns_of_a_user_who_waits_nobody_else_has_more_than_one(
    room: Room,
    clock: MovableClock,
    backlogs: list[int],
    capacity: int,
    later: list[tuple[int, int]],
    restart: int,
) -> None:
    world = await world_of(room, clock, len(backlogs), capacity)
    for user, backlog in zip(world.users, backlogs, strict=True):
        for _ in range(backlog):
            await world.submit(user)
    for number in range(200):
        for at, place in later:
            if at == number and place < len(backlogs):
                await world.submit(world.users[place])
        if number == restart:  # what a process knew is gone; the rows are not
            queue = MemoryQueue(capacity, clock)
            world.room.queue, world.room.deps = queue, replace(world.room.deps, queue=queue)
            await recover_at_start(world.room.deps)
        if not await world.turn() and number > 12:
            break
    assert len(world.turns) == world.submitted
    assert world.most_between_two_turns() <= 2


@pytest.mark.slow
async def test_one_who_queues_hundreds_beyond_the_queues_capacity_delays_another_by_one_turn(
    room: Room, clock: MovableClock
) -> None:
    world = await world_of(room, clock, 2, 100)
    attacker, other = world.users
    for _ in range(150):
        await world.submit(attacker)
    await release(world.room.deps)
    for _ in range(5):
        await world.submit(other)
    while await world.turn():
        pass
    assert "".join("x" if user == other.id else "." for user in world.turns[:14]).count("x") == 5
    assert world.most_between_two_turns() <= 2


async def test_turns_of_one_priority_do_not_count_at_another(room: Room, clock: MovableClock) -> None:
    world = await world_of(room, clock, 2, 1)
    one, other = world.users
    for _ in range(3):
        await world.submit(one, priority=5)
    for user in (one, other, one, other):
        await world.submit(user)
    while await world.turn():
        pass
    assert [user == one.id for user in world.turns] == [True] * 3 + [True, False, True, False]


def expected_places(order: list[str]) -> dict[str, int]:
    return {task_id: place for place, task_id in enumerate(order, 1)}


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    backlogs=st.lists(st.lists(st.sampled_from((0, 0, 0, 7)), max_size=5), min_size=2, max_size=4),
    capacity=st.integers(1, 6),
    begun=st.integers(0, 5),
)
@pytest.mark.slow
async def test_positions_are_the_order_in_which_tasks_are_begun(
    room: Room, clock: MovableClock, backlogs: list[list[int]], capacity: int, begun: int
) -> None:
    world = await world_of(room, clock, len(backlogs), capacity)
    for user, priorities in zip(world.users, backlogs, strict=True):
        for priority in priorities:
            await world.submit(user, priority=priority)
    for _ in range(begun):
        await world.turn()
    await release(world.room.deps)
    ids = [str(i) for i in await Task.filter(status=TaskStatus.PENDING).values_list("id", flat=True)]
    positions = await world.room.tasks.queue_positions(ids)
    order: list[str] = []
    for _ in ids:
        await release(world.room.deps)
        clock.advance(0.001)
        order.append(await world.room.queue._next())
        assert await work.claim(world.room.deps, order[-1]) is not None
    assert positions == expected_places(order)


async def test_processes_that_release_at_once_share_places_and_turns(room: Room, clock: MovableClock) -> None:
    world = await world_of(room, clock, 4, 4)
    for user in world.users:
        for _ in range(3):
            await world.submit(user)
    others = [replace(world.room.deps, queue=MemoryQueue(4, clock)) for _ in range(4)]
    assert sum(await asyncio.gather(*(release(deps) for deps in others))) == 4
    released = Task.filter(status=TaskStatus.PENDING, released_at__isnull=False)
    assert sorted(await released.values_list("user_id", flat=True)) == sorted(user.id for user in world.users)


@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(backlogs=st.lists(st.integers(1, 8), min_size=2, max_size=4), capacity=st.integers(1, 3))
@pytest.mark.slow
async def test_users_take_turns_over_several_processes(
    room: Room, clock: MovableClock, backlogs: list[int], capacity: int
) -> None:
    world = await world_of(room, clock, len(backlogs), capacity)
    for user, backlog in zip(world.users, backlogs, strict=True):
        for _ in range(backlog):
            await world.submit(user)
    processes = []
    for number in range(3):
        queue = MemoryQueue(capacity, clock)
        deps = replace(world.room.deps, queue=queue, instance_id=f"ins_{number}")
        processes.append(replace(world.room, queue=queue, deps=deps))
    while len(world.turns) < world.submitted:
        for world.room in processes:
            await world.turn()
    # Each process takes turns exactly among those whose tasks it holds; at the worst all that it holds are one user's.
    assert world.most_between_two_turns() <= 1 + len(processes) * capacity


async def test_a_task_whose_priority_goes_up_and_back_has_its_old_place(room: Room, clock: MovableClock) -> None:
    for capacity in (100, 2):
        world = await world_of(room, clock, 2, capacity)
        mine, _ = world.users
        tasks = [await world.submit(mine) for _ in range(4)]
        await release(world.room.deps)
        for priority in (9, 0):
            await world.room.tasks.set_priority(mine.id, tasks[1].id, priority)
            await release(world.room.deps)
        ids = [task.id for task in tasks]
        assert await world.room.tasks.queue_positions(ids) == expected_places(ids)
        for task_id in ids:
            await release(world.room.deps)
            assert await world.room.queue._next() == task_id
            assert await work.claim(world.room.deps, task_id) is not None


async def test_a_task_that_waits_for_another_hides_none_behind_it(room: Room, clock: MovableClock) -> None:
    world = await world_of(room, clock, 2, 10)
    mine, _ = world.users
    first = await world.submit(mine)
    await release(world.room.deps)
    claim = await work.claim(world.room.deps, await world.room.queue._next())
    assert claim is not None
    waits = await world.room.submit("waits", user=mine, project_id=world.projects[mine.id], depends_on=(first.id,))
    behind = await world.submit(mine)
    await release(world.room.deps)
    assert (await owned(mine.id, waits.id)).released_at is None
    assert (await owned(mine.id, behind.id)).released_at is not None
    assert await world.room.tasks.queue_positions([waits.id, behind.id]) == {behind.id: 1}
    await work.complete(world.room.deps, claim, [], "completed", degraded=False)
    await release(world.room.deps)
    assert await world.room.queue._next() == waits.id, "it is older"


async def test_a_task_that_waits_for_its_retry_hides_none_behind_it(room: Room, clock: MovableClock) -> None:
    world = await world_of(room, clock, 2, 1)
    mine, _ = world.users
    first, second = await world.submit(mine), await world.submit(mine)
    await release(world.room.deps)
    claim = await work.claim(world.room.deps, await world.room.queue._next())
    assert claim is not None
    assert claim.task.id == first.id
    await work.fail(world.room.deps, claim, Failure("X", "It broke.", retryable=True))
    assert await release(world.room.deps) == 1
    assert (await owned(mine.id, second.id)).released_at is not None


async def test_a_suspect_goes_behind_the_others_of_its_priority_also_where_the_queue_is_small(
    room: Room, clock: MovableClock
) -> None:
    world = await world_of(room, clock, 2, 1)
    mine, theirs = world.users
    suspect = await world.submit(mine)
    others = [await world.submit(user) for user in (mine, theirs)]
    await Task.filter(id=suspect.id).update(losses=3, suspicion=suspicion_of(3))
    positions = await world.room.tasks.queue_positions([suspect.id, *(task.id for task in others)])
    assert positions[suspect.id] == 3
    while await world.turn():
        pass
    assert world.turns == [mine.id, theirs.id, mine.id]


async def test_a_gate_opens_with_the_last_of_several_whoever_completes_first(room: Room, clock: MovableClock) -> None:
    world = await world_of(room, clock, 2, 10)
    mine = world.users[0]
    ids: list[str] = []
    for place, others in enumerate([(), (0,), (0,), (1, 2)]):
        on = tuple(ids[other] for other in others)
        task = await world.room.submit(f"t{place}", user=mine, project_id=world.projects[mine.id], depends_on=on)
        ids.append(task.id)

    async def run(places: list[int]) -> None:
        assert await release(world.room.deps) == len(places)
        claims = [await work.claim(world.room.deps, ids[place]) for place in places]
        await asyncio.gather(
            *(work.complete(world.room.deps, claim, [], "completed", degraded=False) for claim in claims if claim)
        )

    for places in ([0], [1, 2], [3]):
        await run(places)
    assert await Task.filter(status=TaskStatus.COMPLETED).count() == 4
    assert await GateCheck.all().count() == 0
    assert await TaskDependency.all().count() == 4


async def test_a_retried_dependant_waits_again_for_what_has_not_completed(room: Room, clock: MovableClock) -> None:
    first = await room.submit("first")
    second = await room.submit("second", depends_on=(first.id,))
    await room.tasks.cancel(room.user.id, second.id)
    await room.tasks.retry(room.user, second.id)
    assert await release(room.deps) == 1
    assert (await Task.get(id=second.id)).released_at is None
    claim = await work.claim(room.deps, first.id)
    assert claim is not None
    await work.complete(room.deps, claim, [], "completed", degraded=False)
    assert await release(room.deps) == 1
    await Task.filter(id=second.id).update(status=TaskStatus.CANCELLED, released_at=None)
    await room.tasks.retry(room.user, second.id)
    assert await release(room.deps) == 1, "what it waits for has completed long ago"
