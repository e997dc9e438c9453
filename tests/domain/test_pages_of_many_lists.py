"""The same page of many lists at once is what each list gives by itself."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from domain.errors import InvalidInput
from domain.ids import IdPrefix, new_id
from domain.models.projects import Project
from domain.pagination import OrderKey, PageRequest, count_each, paginate, paginate_each
from tests.helpers.sql import recorded_sql

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
ORDERS = (
    (OrderKey("created_at", descending=True), OrderKey("id", descending=True)),
    (OrderKey("name"), OrderKey("created_at", descending=True), OrderKey("id")),
)
OWNERS = ["ada", "eve", "nobody", "grace"]
REQUESTS: list[dict[str, Any]] = [
    {},
    {"first": 0},
    {"first": 1},
    {"first": 7},
    {"first": 100},
    {"last": 3},
    {"last": 0},
]


@pytest.fixture
async def rows(database: str) -> None:
    choices = random.Random(5)
    for number in range(30):
        at = NOW + timedelta(seconds=choices.randrange(4))
        await Project.create(
            id=new_id(IdPrefix.PROJECT),
            user_id=choices.choice(["ada", "eve", "grace"]),
            name=f"name {number % 3}",
            style={},
            created_at=at,
            updated_at=at,
        )


async def test_each_page_is_that_of_its_own_list(rows: None) -> None:
    query = Project.filter(name__in=["name 0", "name 2"])
    for order in ORDERS:
        for arguments in REQUESTS:
            request = PageRequest(**arguments)
            with recorded_sql() as statements:
                pages = await paginate_each(query, "user_id", OWNERS, order, request)
            assert len(statements) == 2
            assert list(pages) == OWNERS
            for owner in OWNERS:
                assert pages[owner] == await paginate(query.filter(user_id=owner), order, request), (owner, arguments)


async def test_cursors_go_on_where_the_page_ended(rows: None) -> None:
    pages = await paginate_each(Project.all(), "user_id", OWNERS, ORDERS[0], PageRequest(first=2))
    request = PageRequest(first=100, after=pages["ada"].cursors[-1])
    rest = await paginate_each(Project.all(), "user_id", OWNERS, ORDERS[0], request)
    whole = await paginate(Project.filter(user_id="ada"), ORDERS[0], PageRequest(first=100))
    assert pages["ada"].items + rest["ada"].items == whole.items
    with pytest.raises(InvalidInput):
        await paginate_each(Project.all(), "user_id", OWNERS, ORDERS[0], PageRequest(after="nonsense"))


async def test_lists_are_counted_with_one_statement(rows: None) -> None:
    query = Project.filter(name="name 1")
    with recorded_sql() as statements:
        counts = await count_each(query, "user_id", OWNERS)
    assert len(statements) == 1
    assert counts == {owner: await query.filter(user_id=owner).count() for owner in OWNERS}
    assert counts["nobody"] == 0
