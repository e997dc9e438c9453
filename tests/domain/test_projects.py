"""Projects and their style."""

import asyncio
import random
from datetime import datetime

import pytest

from domain import db
from domain.errors import DomainError, InvalidInput, NotFound
from domain.ids import IdPrefix, new_id
from domain.models.projects import Project, UploadedImage
from domain.pagination import PageRequest
from domain.projects import Projects
from domain.styles import StyleChange, style_from_json
from tests.conftest import MovableClock
from tests.helpers.room import make_user
from tests.helpers.sql import recorded_sql

ME, OTHER = new_id(IdPrefix.USER), new_id(IdPrefix.USER)
NAME = "Zürich 深圳 🧙\u200d♂️ \u202b\u05e9\u05dc\u05d5\u05dd\u202c"


@pytest.fixture
async def projects(database: str, clock: MovableClock) -> Projects:
    await make_user(clock, "me", id=ME)
    await make_user(clock, "other", id=OTHER)
    return Projects(clock)


async def image_of(user_id: str, project_id: str, at: datetime) -> str:
    image = await UploadedImage.create(
        id=new_id(IdPrefix.IMAGE),
        user_id=user_id,
        project_id=project_id,
        storage_key="k",
        media_type="image/png",
        width=1,
        height=1,
        size_bytes=1,
        sha256="0",
        created_at=at,
    )
    return image.id


async def names(projects: Projects, search: str | None) -> set[str]:
    page, count = await projects.page(ME, PageRequest(first=100), search)
    assert await count() == len(page.items)
    return {project.name for project in page.items}


async def test_a_project_comes_back_as_it_was_made(projects: Projects, clock: MovableClock) -> None:
    style = StyleChange(art_style="16-bit 像素", palette=("#FF0000", "#00ff0080", "#ff0000"), mood="🌧")
    made = await projects.create(ME, f"  {NAME} ", "über\nalles", style)
    project = await projects.get(ME, made.id)
    assert (project.name, project.description) == (NAME, "über\nalles")
    assert (project.created_at, project.updated_at) == (clock.instant, clock.instant)
    kept = style_from_json(project.style)
    assert (kept.art_style, kept.palette, kept.mood) == ("16-bit 像素", ("#ff0000", "#00ff0080"), "🌧")
    assert kept.perspective == ""


async def test_an_update_changes_what_is_given_and_nothing_else(projects: Projects, clock: MovableClock) -> None:
    made = await projects.create(ME, "Game", "about", StyleChange(art_style="flat", mood="dark"))
    clock.advance(60)
    await projects.update(ME, made.id, style=StyleChange(mood="light", palette=()))
    await projects.update(ME, made.id, description="")
    project = await projects.get(ME, made.id)
    style = style_from_json(project.style)
    assert (project.name, project.description, style.art_style, style.mood) == ("Game", "", "flat", "light")
    assert (project.updated_at - project.created_at).total_seconds() == 60


async def test_updates_of_different_fields_at_the_same_moment_all_survive(projects: Projects) -> None:
    made = await projects.create(ME, "Game", None, None)
    changes = [
        {"name": "Renamed"},
        {"description": "told"},
        {"style": StyleChange(art_style="flat")},
        {"style": StyleChange(mood="dark")},
        {"style": StyleChange(perspective="side view")},
        {"style": StyleChange(palette=("#000000",))},
        {"style": StyleChange(negative_prompt="blurry")},
    ]
    await asyncio.gather(*(projects.update(ME, made.id, **change) for change in changes))  # type: ignore[arg-type]
    project = await projects.get(ME, made.id)
    style = style_from_json(project.style)
    assert (project.name, project.description) == ("Renamed", "told")
    assert (style.art_style, style.mood, style.perspective) == ("flat", "dark", "side view")
    assert (style.palette, style.negative_prompt) == (("#000000",), "blurry")


async def test_names_are_one_to_two_hundred_characters(projects: Projects) -> None:
    made = await projects.create(ME, "🎮" * 200, None, None)
    for name in ("", "   ", "x" * 201, "a\x00b", "\ud800"):
        for attempt in (projects.create(ME, name, None, None), projects.update(ME, made.id, name=name)):
            with pytest.raises(InvalidInput) as caught:
                await attempt
            assert caught.value.path == ("input", "name")
    assert await names(projects, None) == {"🎮" * 200}


async def test_a_wrong_update_changes_nothing(projects: Projects) -> None:
    made = await projects.create(ME, "Game", None, None)
    with pytest.raises(InvalidInput) as caught:
        await projects.update(ME, made.id, name="New", style=StyleChange(mood="dark", palette=("red",)))
    assert caught.value.path == ("input", "style", "palette")
    with pytest.raises(InvalidInput):
        await projects.update(ME, made.id, description="x" * 4001)
    project = await projects.get(ME, made.id)
    assert (project.name, style_from_json(project.style).mood) == ("Game", "")


async def test_what_is_not_mine_does_not_exist(projects: Projects) -> None:
    mine = await projects.create(ME, "Mine", None, None)
    theirs = await projects.create(OTHER, "Theirs", None, None)
    deleted = await projects.create(ME, "Deleted", None, None)
    await Project.filter(id=deleted.id).update(user_id=None)
    failures: list[DomainError] = []
    unknown = new_id(IdPrefix.PROJECT)
    for project_id in (theirs.id, deleted.id, unknown, ME, "", mine.id[:-1] + "\x00", mine.id[:-1] + "\ud800"):
        for attempt in (projects.get(ME, project_id), projects.update(ME, project_id, name="Taken")):
            with pytest.raises(NotFound) as caught:
                await attempt
            failures.append(caught.value)
    assert {failure.message for failure in failures} == {"There is no such project."}
    assert (await projects.get(OTHER, theirs.id)).name == "Theirs"


async def test_reference_images_are_those_of_the_project(projects: Projects, clock: MovableClock) -> None:
    project = await projects.create(ME, "Game", None, None)
    sibling = await projects.create(ME, "Other", None, None)
    mine = await image_of(ME, project.id, clock.instant)
    too = await image_of(ME, project.id, clock.instant)
    await projects.update(ME, project.id, style=StyleChange(reference_image_ids=(mine, too, mine)))
    for stranger in (
        await image_of(ME, sibling.id, clock.instant),
        await image_of(OTHER, project.id, clock.instant),
        new_id(IdPrefix.IMAGE),
        "",
        "img_\x00",
        project.id,
    ):
        with pytest.raises(NotFound) as caught:
            await projects.update(ME, project.id, style=StyleChange(reference_image_ids=(mine, stranger), mood="lost"))
        assert caught.value.path == ("input", "style", "referenceImageIds")
    style = style_from_json((await projects.get(ME, project.id)).style)
    assert (style.reference_image_ids, style.mood) == ((mine, too), "")
    await projects.update(ME, project.id, style=StyleChange(reference_image_ids=()))
    assert style_from_json((await projects.get(ME, project.id)).style).reference_image_ids == ()


async def test_a_new_project_has_no_images_to_refer_to(projects: Projects, clock: MovableClock) -> None:
    elsewhere = await image_of(ME, new_id(IdPrefix.PROJECT), clock.instant)
    with pytest.raises(NotFound):
        await projects.create(ME, "Game", None, StyleChange(reference_image_ids=(elsewhere,)))
    assert await names(projects, None) == set()


async def test_newest_come_first_and_counting_is_asked_for(projects: Projects, clock: MovableClock) -> None:
    for number in range(5):
        await projects.create(ME, str(number), None, None)
        await projects.create(OTHER, "theirs", None, None)
        clock.advance(random.choice([0, 1]))
    with recorded_sql() as statements:
        page, count = await projects.page(ME, PageRequest(first=3), None)
        assert len(statements) == 1
        assert await count() == 5
    assert (len(statements), page.has_next, page.has_previous) == (2, True, False)
    rest, _ = await projects.page(ME, PageRequest(after=page.cursors[-1]), None)
    assert {project.name for project in page.items + rest.items} == set("01234")
    stamps = [(project.created_at, project.id) for project in page.items + rest.items]
    assert stamps == sorted(stamps, reverse=True)


SEARCHES = {
    "oRC": {"100% Orc"},
    "%": {"100% Orc"},
    "_": {"under_score"},
    "\\": {"back\\slash"},
    "与魔 ": {"剑与魔法 🗡️"},
    "🗡": {"剑与魔法 🗡️"},
    "äRGER été": {"Ärger ÉTÉ"},
    "ПРИВЕТ мир": {"привет МИР"},
    "'; drop table project; --": set(),
}


async def test_names_are_searched_in_any_case_and_literally(projects: Projects) -> None:
    everything = {"100% Orc", "under_score", "back\\slash", "Ärger ÉTÉ", "剑与魔法 🗡️", "привет МИР"}
    for name in everything:
        await projects.create(ME, name, None, None)
    await projects.create(OTHER, "100% Orc _ \\ 与魔", None, None)
    assert {search: await names(projects, search) for search in SEARCHES} == SEARCHES
    assert await names(projects, None) == await names(projects, "") == everything


async def test_searches_that_no_name_can_match_are_refused(projects: Projects) -> None:
    for search in ("x" * 201, "a\x00", "\ud800"):
        with pytest.raises(InvalidInput) as caught:
            await projects.page(ME, PageRequest(), search)
        assert caught.value.path == ("search",)


async def test_an_update_and_a_deletion_at_once_leave_a_deleted_project(projects: Projects) -> None:
    made = await projects.create(ME, "Game", None, None)

    async def delete() -> None:
        async with db.transaction():
            await Project.filter(id=made.id, user_id=ME).update(user_id=None)

    updates = (projects.update(ME, made.id, name=str(number)) for number in range(5))
    results = await asyncio.gather(delete(), *updates, return_exceptions=True)
    assert all(isinstance(result, NotFound | Project | None) for result in results)
    assert (await Project.get(id=made.id)).user_id is None
