"""Pages of long lists: each row once, in order, whatever comes and goes meanwhile."""

import base64
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tortoise.models import Model
from tortoise.queryset import QuerySet

from domain import db
from domain.errors import InvalidInput
from domain.ids import IdPrefix, new_id
from domain.kinds import Role
from domain.models.accounts import User
from domain.models.projects import Project
from domain.models.tasks import QualityCheckRow
from domain.pagination import OrderKey, Page, PageRequest, _CursorCodec, paginate
from tests.helpers.sql import Statement, recorded_sql

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
NEWEST = (OrderKey("created_at", descending=True), OrderKey("id", descending=True))
OLDEST = (OrderKey("created_at"), OrderKey("id"))
NAME = (OrderKey("name"), OrderKey("created_at", descending=True), OrderKey("id"))
ORDERS = {"newest": NEWEST, "oldest": OLDEST, "name": NAME}


async def add(offset_microseconds: int = 0, name: str = "p") -> str:
    at = NOW + timedelta(microseconds=offset_microseconds)
    project = await Project.create(
        id=new_id(IdPrefix.PROJECT), user_id="u", name=name, style={}, created_at=at, updated_at=at
    )
    return project.id


def sorting(order: Sequence[OrderKey]) -> list[str]:
    return [("-" if key.descending else "") + key.field for key in order]


async def walk(
    query: Callable[[], QuerySet[Any]],
    order: Sequence[OrderKey],
    size: int,
    *,
    backward: bool = False,
    between: Callable[[Page[Any]], Any] | None = None,
) -> list[Any]:
    """Read page after page to the end; the rows in the order in which they came, of each page that of the list."""
    seen: list[Any] = []
    cursor: str | None = None
    for _ in range(200):
        request = PageRequest(last=size, before=cursor) if backward else PageRequest(first=size, after=cursor)
        page = await paginate(query(), order, request)
        assert len(page.items) == len(page.cursors) <= size
        seen = page.items + seen if backward else seen + page.items
        if not (page.has_previous if backward else page.has_next):
            return seen
        cursor = page.cursors[0 if backward else -1]
        if between is not None:
            await between(page)
    raise AssertionError("the list does not end")


names = st.sampled_from(["", "a", "A", "b", "ä", "é", "e\u0301", "剑", "🗡️", "\u05d0", "%", "_", '"', "\\"])
rows = st.lists(st.tuples(st.sampled_from([0, 1, 999_999, 1_000_000]), names), max_size=12)
trial = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("order", ORDERS)
@trial
@given(rows=rows, late=rows, size=st.integers(1, 5), backward=st.booleans())
async def test_every_row_comes_once_and_in_order_while_others_are_added(
    database: str, order: str, rows: list[tuple[int, str]], late: list[tuple[int, str]], size: int, *, backward: bool
) -> None:
    await Project.all().delete()
    first = {await add(*row) for row in rows}
    waiting = list(late)

    async def between(_page: Page[Any]) -> None:
        if waiting:
            await add(*waiting.pop())

    seen = [project.id for project in await walk(Project.all, ORDERS[order], size, backward=backward, between=between)]
    everything = [project.id for project in await Project.all().order_by(*sorting(ORDERS[order]))]
    assert len(seen) == len(set(seen))
    assert first <= set(seen)
    assert seen == [project_id for project_id in everything if project_id in set(seen)]


@trial
@given(count=st.integers(0, 9), first=st.integers(0, 10), start=st.integers(0, 8))
async def test_both_directions_tell_whether_there_is_more(database: str, count: int, first: int, start: int) -> None:
    await Project.all().delete()
    ids = [await add(number) for number in range(count)]
    whole = await paginate(Project.all(), OLDEST, PageRequest(first=100))
    assert ([project.id for project in whole.items], whole.has_next, whole.has_previous) == (ids, False, False)
    cursor = whole.cursors[start] if start < count else None
    after = await paginate(Project.all(), OLDEST, PageRequest(first=first, after=cursor))
    rest = ids if cursor is None else ids[start + 1 :]
    assert [project.id for project in after.items] == rest[:first]
    assert (after.has_next, after.has_previous) == (len(rest) > first, cursor is not None)
    before = await paginate(Project.all(), OLDEST, PageRequest(last=first, before=cursor))
    rest = ids if cursor is None else ids[:start]
    assert [project.id for project in before.items] == (rest[-first:] if first else [])
    assert (before.has_next, before.has_previous) == (cursor is not None, len(rest) > first)


async def test_two_cursors_enclose_what_is_read(database: str) -> None:
    ids = [await add(number) for number in range(6)]
    cursors = (await paginate(Project.all(), OLDEST, PageRequest())).cursors
    for request in (
        PageRequest(first=10, after=cursors[0], before=cursors[4]),
        PageRequest(last=10, after=cursors[0], before=cursors[4]),
    ):
        assert [project.id for project in (await paginate(Project.all(), OLDEST, request)).items] == ids[1:4]


async def test_twenty_rows_come_unless_told(database: str) -> None:
    for number in range(21):
        await add(number)
    page = await paginate(Project.all(), NEWEST, PageRequest())
    assert (len(page.items), page.has_next) == (20, True)


async def test_rows_that_go_meanwhile_take_no_other_with_them(database: str) -> None:
    ids = [await add(number) for number in range(7)]

    async def between(page: Page[Any]) -> None:
        await page.items[-1].delete()  # the very row that the cursor stands for

    assert [project.id for project in await walk(Project.all, OLDEST, 2, between=between)] == ids


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("backward", [False, True])
async def test_numbers_order_too(database: str, *, descending: bool, backward: bool) -> None:
    for position, score in enumerate([0.1, 0.1, 1 / 3, 2 / 3, 0.30000000000000004, 0.3, 1e-300, 1.0, 0.0, 2 / 3]):
        await QualityCheckRow.create(
            task_id="t",
            attempt=position % 3,
            round=0,
            position=position,
            name="n",
            score=score,
            threshold=0.5,
            passed=True,
            reason="",
        )
    for order in (
        (OrderKey("score", descending=descending), OrderKey("id", descending=not descending)),
        (OrderKey("attempt", descending=descending), OrderKey("score"), OrderKey("id")),
    ):
        expected = [row.id for row in await QualityCheckRow.all().order_by(*sorting(order))]
        assert [row.id for row in await walk(QualityCheckRow.all, order, 3, backward=backward)] == expected


async def test_enums_order_too(database: str) -> None:
    for number in range(7):
        await User.create(
            id=new_id(IdPrefix.USER),
            email=str(number),
            display_name="",
            password_hash="",
            role=Role.ADMIN if number % 3 == 0 else Role.USER,
            created_at=NOW,
        )
    order = (OrderKey("role", descending=True), OrderKey("id"))
    expected = [user.id for user in await User.all().order_by(*sorting(order))]
    assert [user.id for user in await walk(User.all, order, 2)] == expected


async def test_a_page_is_one_statement_that_starts_where_it_should(database: str) -> None:
    """Neither skips rows that it has read nor sorts them: it enters the index at the cursor."""
    for number in range(5):
        await add(number)
    cursor = (await paginate(Project.filter(user_id="u"), NEWEST, PageRequest(first=2))).cursors[-1]
    for request in (PageRequest(first=2, after=cursor), PageRequest(last=2, before=cursor)):
        with recorded_sql() as statements:
            await paginate(Project.filter(user_id="u"), NEWEST, request)
        assert len(statements) == 1
        assert "OFFSET" not in statements[0].text
        plan = await plan_of(statements[0])
        assert "SORT" not in plan
        assert "B-TREE" not in plan
        entry = plan.partition("INDEX COND: ")[2].partition("FILTER: ")[0] if "INDEX COND" in plan else plan
        assert "USER_ID" in entry
        assert "CREATED_AT" in entry


async def plan_of(statement: Statement) -> str:
    """The database's plan for a statement, in upper case, as if the table were too large to be read whole."""
    async with db.transaction():
        if db.is_postgres():
            await db.connection().execute_query("SET LOCAL enable_seqscan = off")
            await db.connection().execute_query("SET LOCAL enable_bitmapscan = off")
        explain = "EXPLAIN " if db.is_postgres() else "EXPLAIN QUERY PLAN "
        _, lines = await db.connection().execute_query(explain + statement.text, statement.values)
    return "\n".join(str(list(dict(line).values())[-1]) for line in lines).upper()


async def test_an_order_must_be_total(database: str) -> None:
    with pytest.raises(ValueError, match="primary key"):
        await paginate(Project.all(), [OrderKey("created_at")], PageRequest())


# ---------------------------------------------------------------- what clients send


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"first": 1, "last": 1}, "last"),
        ({"first": -1}, "first"),
        ({"first": 101}, "first"),
        ({"last": -1}, "last"),
        ({"last": 2**31}, "last"),
    ],
)
def test_counts_are_checked(arguments: dict[str, int], path: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        PageRequest(**arguments)  # type: ignore[arg-type]
    assert caught.value.path == (path,)


def cursor_of(*data: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(data).encode()).decode()


async def refused(model: type[Model], order: Sequence[OrderKey], cursor: str) -> None:
    for name in ("after", "before"):
        request = PageRequest(after=cursor) if name == "after" else PageRequest(before=cursor)
        with recorded_sql() as statements, pytest.raises(InvalidInput) as caught:
            await paginate(model.all(), order, request)
        assert caught.value.path == (name,)
        assert statements == []


async def test_cursors_belong_to_one_list_in_one_order(database: str) -> None:
    await add()
    made = {name: (await paginate(Project.all(), order, PageRequest())).cursors[0] for name, order in ORDERS.items()}
    assert len(set(made.values())) == 3
    for name, cursor in made.items():
        for other, order in ORDERS.items():
            if other != name:
                await refused(Project, order, cursor)
    await refused(User, NEWEST, made["newest"])


async def test_whatever_is_wrong_with_a_cursor_is_named_without_asking_the_database(database: str) -> None:
    await add()
    made = (await paginate(Project.all(), NAME, PageRequest())).cursors[0]
    tag, name, at, project_id = json.loads(base64.urlsafe_b64decode(made + "=="))
    assert name == "p"
    good = cursor_of(tag, name, at, project_id)
    assert (await paginate(Project.all(), NAME, PageRequest(after=good))).items == []
    for wrong in [
        "",
        "a",
        "!!!!",
        "é",
        "\ud800",
        made[:-3],
        made + "AAAA",
        "x" * 100_000,
        base64.urlsafe_b64encode(b"\xff\xfe").decode(),
        base64.urlsafe_b64encode(b"[" * 1400).decode(),
        base64.urlsafe_b64encode(b"9" * 1400).decode(),
        cursor_of(),
        cursor_of(tag),
        cursor_of("x", name, at, project_id),
        cursor_of(tag, name, at),
        cursor_of(tag, name, at, project_id, 1),
        cursor_of(tag, name, at, None),
        cursor_of(tag, 1, at, project_id),
        cursor_of(tag, [name], at, project_id),
        cursor_of(tag, "\x00", at, project_id),
        cursor_of(tag, "\ud800", at, project_id),
        cursor_of(tag, name, "yesterday", project_id),
        cursor_of(tag, name, 0, project_id),
        cursor_of(tag, name, "2026-12-01T12:00:00", project_id),
        cursor_of(tag, name, "9999-12-31T23:59:59-12:00", project_id),
        cursor_of(tag, name, "0001-01-01T00:00:00+12:00", project_id),
    ]:
        await refused(Project, NAME, wrong)


async def test_numbers_that_the_column_cannot_hold_are_refused(database: str) -> None:
    order = (OrderKey("round"), OrderKey("id"))
    good = cursor_of(tag_of(order), 1, 1)
    assert (await paginate(QualityCheckRow.all(), order, PageRequest(after=good))).items == []
    await refused(QualityCheckRow, order, cursor_of(tag_of(order), 1, 2**63))
    for whole in (2**31, -(2**31) - 1, 10**400, 1.0, True, "1", None):
        await refused(QualityCheckRow, order, cursor_of(tag_of(order), whole, 1))
    order = (OrderKey("score"), OrderKey("id"))
    for fraction in (float("nan"), float("inf"), 1, "0.5", None):
        await refused(QualityCheckRow, order, cursor_of(tag_of(order), fraction, 1))


def tag_of(order: Sequence[OrderKey]) -> str:
    return _CursorCodec(QualityCheckRow, order)._tag


async def test_values_that_the_enum_lacks_are_refused(database: str) -> None:
    await User.create(id="usr_1", email="e", display_name="", password_hash="", created_at=NOW)
    order = (OrderKey("role"), OrderKey("id"))
    made = (await paginate(User.all(), order, PageRequest())).cursors[0]
    tag, role, user_id = json.loads(base64.urlsafe_b64decode(made + "=="))
    assert (role, user_id) == ("USER", "usr_1")
    for wrong in ("user", "ROOT", 1, None):
        await refused(User, order, cursor_of(tag, wrong, user_id))
