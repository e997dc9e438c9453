"""What users and projects store is counted exactly, however many store and delete at once."""

import asyncio

import pytest

from domain import db
from domain.errors import QuotaExceeded
from domain.ids import IdPrefix, new_id
from domain.kinds import AssetType
from domain.models.accounts import User
from domain.models.projects import Project
from domain.models.storage import StorageUse
from domain.models.tasks import Asset
from domain.quotas import give_back, hold, take, used_bytes, used_bytes_of_projects
from domain.settings import Settings
from domain.tasks.deletion import delete_project
from tests.conftest import MovableClock
from tests.helpers.pictures import keep_picture
from tests.helpers.room import Room, make_project


def limited(settings: Settings, user: int = 0, project: int = 0) -> Settings:
    return settings.model_copy(update={"max_storage_bytes": user, "max_project_storage_bytes": project})


async def store(room: Room, project: Project, size_bytes: int, settings: Settings) -> None:
    """Write an asset's row as the end of a task does."""
    number = new_id(IdPrefix.ASSET)
    async with db.transaction():
        await take(room.user.id, project.id, size_bytes, settings)
        await Asset.create(
            id=number,
            user_id=room.user.id,
            project_id=project.id,
            task_id=number,
            asset_type=AssetType.SPRITE,
            name="a.png",
            role="SPRITE",
            media_type="image/png",
            size_bytes=size_bytes,
            sha256="0" * 64,
            storage_key=f"users/{number}",
            provenance={},
            metadata={},
            position=0,
            created_at=room.deps.clock.now(),
        )


async def counted(*ids: str) -> list[int]:
    return [(await StorageUse.get(id=one)).used_bytes for one in ids]


async def in_rows(user_id: str) -> int:
    return sum(asset.size_bytes for asset in await Asset.filter(user_id=user_id))


async def test_what_fits_exactly_is_stored_and_not_a_byte_more(room: Room) -> None:
    settings = limited(room.deps.settings, user=100)
    await store(room, room.project, 60, settings)
    await store(room, room.project, 40, settings)
    with pytest.raises(QuotaExceeded, match=r"may take 0\.0001 MB in all.*Delete projects"):
        await store(room, room.project, 1, settings)
    assert await counted(room.user.id, room.project.id) == [100, 100]
    assert await in_rows(room.user.id) == 100


async def test_a_project_has_a_limit_of_its_own(room: Room, clock: MovableClock) -> None:
    settings, second = limited(room.deps.settings, project=100), await make_project(clock, room.user)
    await store(room, room.project, 100, settings)
    with pytest.raises(QuotaExceeded, match="one project"):
        await store(room, room.project, 1, settings)
    await store(room, second, 100, settings)
    # What the project refused does not count for the user either.
    assert await counted(room.user.id, room.project.id, second.id) == [200, 100, 100]


async def test_a_users_own_limit_comes_first(room: Room) -> None:
    await User.filter(id=room.user.id).update(max_storage_bytes=10)
    with pytest.raises(QuotaExceeded):
        await store(room, room.project, 11, limited(room.deps.settings, user=0))
    await User.filter(id=room.user.id).update(max_storage_bytes=1000)
    await store(room, room.project, 11, limited(room.deps.settings, user=10))


async def test_many_at_once_fill_the_space_and_no_more(room: Room) -> None:
    settings = limited(room.deps.settings, user=100)

    async def try_to_store() -> bool:
        try:
            await store(room, room.project, 10, settings)
        except QuotaExceeded:
            return False
        return True

    stored = await asyncio.gather(*(try_to_store() for _ in range(25)))
    assert sum(stored) == 10
    assert await counted(room.user.id, room.project.id) == [100, 100]
    assert await in_rows(room.user.id) == 100


async def test_what_was_stored_before_there_were_counters_counts(room: Room) -> None:
    settings = limited(room.deps.settings)
    await store(room, room.project, 30, settings)
    await keep_picture(room.user.id, room.project.id, 12, room.deps.clock.now())
    await StorageUse.all().delete()
    assert await used_bytes([room.user.id, room.stranger.id]) == [42, 0]
    await store(room, room.project, 8, settings)
    assert await counted(room.user.id, room.project.id) == [50, 50]
    assert await used_bytes([room.stranger.id, room.user.id]) == [0, 50]


async def test_counters_that_many_make_at_once_are_right(room: Room) -> None:
    settings = limited(room.deps.settings)
    await store(room, room.project, 5, settings)
    await StorageUse.all().delete()

    async def free() -> None:
        async with db.transaction():
            await give_back(room.user.id, {room.project.id: 1})

    await asyncio.gather(*(store(room, room.project, 10, settings) for _ in range(8)), *(free() for _ in range(5)))
    assert await counted(room.user.id, room.project.id) == [80, 80]


async def test_deleting_a_project_gives_its_space_back(room: Room, clock: MovableClock) -> None:
    settings, second = limited(room.deps.settings, user=100), await make_project(clock, room.user)
    await store(room, room.project, 60, settings)
    await store(room, second, 40, settings)
    await delete_project(room.deps, room.user.id, room.project.id)
    assert await counted(room.user.id, second.id) == [40, 40]
    assert not await StorageUse.filter(id=room.project.id).exists()
    await store(room, second, 60, settings)


async def test_a_change_that_is_undone_counts_nothing(room: Room) -> None:
    with pytest.raises(ZeroDivisionError):
        async with db.transaction():
            await take(room.user.id, room.project.id, 10, limited(room.deps.settings))
            raise ZeroDivisionError
    assert await used_bytes([room.user.id]) == [0]


async def test_what_a_project_stores_is_told_counted_or_not(room: Room) -> None:
    ids = [room.project.id, room.other_project.id]
    assert await used_bytes_of_projects(ids) == [0, 0]
    async with db.transaction():
        await hold(room.user.id)
        await take(room.user.id, room.project.id, 70, room.deps.settings)
    assert await used_bytes_of_projects(ids) == [70, 0]
