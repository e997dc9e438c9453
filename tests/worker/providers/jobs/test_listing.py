from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from domain.ids import IdPrefix, made_at, new_id
from worker.providers.base import ProviderError
from worker.providers.jobs.listing import Listed, Search

NAME = new_id(IdPrefix.JOB)
NOW = (made_at(NAME) or datetime.now(UTC)).timestamp()


def search(*pages: Sequence[Listed], most: int = 5) -> tuple[Search, list[int]]:
    asked: list[int] = []

    async def page(number: int) -> Sequence[Listed]:
        asked.append(number)
        return pages[number - 1]

    return Search(page, 2, most), asked


def job(age: float | None, *, ours: bool | None = False, name: str = "x") -> Listed:
    return Listed(name, None if age is None else NOW - age, ours)


async def test_it_looks_on_until_the_job_is_found() -> None:
    found, asked = search([job(0), job(1)], [job(2), job(3, ours=True, name="mine")])
    assert (await found.run("x", NAME), asked) == ("mine", [1, 2])


async def test_a_page_that_is_not_full_is_the_last() -> None:
    assert await search([job(0), job(1)], [job(2)])[0].run("x", NAME) is None


async def test_it_ends_with_the_first_page_of_older_jobs_in_a_list_from_new_to_old() -> None:
    found, asked = search([job(0), job(1)], [job(900), job(901)], [job(902), job(903)])
    assert (await found.run("x", NAME), asked) == (None, [1, 2])


@pytest.mark.parametrize("first", [[job(900), job(0)], [job(None), job(900)]])
async def test_it_goes_on_in_a_list_of_another_order(first: list[Listed]) -> None:
    found, asked = search(first, [job(901), job(902)], [job(1, ours=True, name="mine")])
    assert (await found.run("x", NAME), asked) == ("mine", [1, 2, 3])


async def test_a_job_older_than_the_name_is_another_one() -> None:
    assert await search([job(700, ours=True)])[0].run("x", NAME) is None
    assert await search([job(500, ours=True, name="mine")])[0].run("x", NAME) == "mine"  # clocks differ


@pytest.mark.parametrize("pages", [[[job(0, ours=None)]], [[job(1), job(0)], [job(1), job(0)]]])
async def test_a_list_that_does_not_tell_or_does_not_end_leaves_the_outcome_unknown(pages: list[list[Listed]]) -> None:
    with pytest.raises(ProviderError) as caught:
        await search(*pages, most=2)[0].run("x", NAME)
    assert caught.value.outcome_unknown
