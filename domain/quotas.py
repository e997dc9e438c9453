"""How many bytes a user and a project may store, counted exactly.

Each user and each project has a counter. What is stored is added to both in the transaction that writes the rows naming
it, by one conditional update each: of many that store at once, those that no longer fit change nothing and raise.
A picture that several projects of a user name is stored once, so it counts once for the user, and for each project.
A counter is made from the rows there are by the first who needs it, always before that transaction writes rows of its
own. Counters are taken in one order, the user's first, so that no two transactions wait for each other.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from tortoise.expressions import F
from tortoise.functions import Sum
from tortoise.models import Model

from domain import db
from domain.errors import QuotaExceeded
from domain.models.projects import StoredUpload, UploadedImage
from domain.models.storage import StorageUse
from domain.models.tasks import Asset
from domain.settings import Settings
from domain.statements import change, fetch

_MEGABYTE: Final = 1_000_000
_OWN_LIMIT: Final = "SELECT max_storage_bytes FROM user_account WHERE id = ?"
_ADD: Final = "UPDATE storage_use SET used_bytes = used_bytes + ? WHERE id = ?"
# The first that needs a counter makes it; one that waits for another transaction's finds it there.
_MAKE: Final = """
INSERT INTO storage_use (id, used_bytes)
SELECT CAST({mark} AS VARCHAR(40)),
    COALESCE((SELECT SUM(size_bytes) FROM asset WHERE {column} = CAST({mark} AS VARCHAR(40))), 0)
    + COALESCE((SELECT SUM(size_bytes) FROM {uploads} WHERE {column} = CAST({mark} AS VARCHAR(40))), 0)
WHERE true
ON CONFLICT (id) DO NOTHING
"""
#: Where uploaded pictures are counted: what a user has stored, and what a project names of it.
_UPLOADS: Final = {"user_id": "stored_upload", "project_id": "uploaded_image"}

# Ids of users and of projects differ, so that of each pair of sums one is nothing.
_TRUTH: Final = " + ".join(
    f"COALESCE((SELECT SUM(size_bytes) FROM {table} WHERE {column} = s.id), 0)"  # noqa: S608 (names of our own)
    for column, uploads in _UPLOADS.items()
    for table in ("asset", uploads)
)
_WRONG: Final = f"SELECT s.id AS id FROM storage_use s WHERE s.used_bytes <> {_TRUTH} ORDER BY s.id"  # noqa: S608 (likewise)
_COUNTED: Final = f"SELECT {_TRUTH} AS truth FROM storage_use s WHERE s.id = ?"  # noqa: S608 (likewise)


async def wrong_counters() -> list[str]:
    """Return the users and projects whose counter is not what their rows say; reads every row that names a file."""
    return [str(row["id"]) for row in await fetch(_WRONG, [])]


async def mend_counters() -> list[str]:
    """Count anew what is wrong; returns whose. Files go on being stored meanwhile."""
    mended = []
    for owner_id in await wrong_counters():
        async with db.transaction():
            # Whoever stores something changes the counter first, so that nobody adds rows while it is held.
            held = await StorageUse.select_for_update().get_or_none(id=owner_id)
            if held is None:
                continue
            truth = int((await fetch(_COUNTED, [owner_id]))[0]["truth"])
            if held.used_bytes != truth:
                await StorageUse.filter(id=owner_id).update(used_bytes=truth)
                mended.append(owner_id)
    return mended


async def hold(user_id: str) -> None:
    """Inside the transaction, and before its rows are written: let nobody else store for the user until it ends."""
    await _make("user_id", user_id)
    await StorageUse.select_for_update().get(id=user_id)


async def take(
    user_id: str, project_id: str, size_bytes: int, settings: Settings, *, stored_already: bool = False
) -> None:
    """Inside the transaction, and before its rows are written: count what they name.

    What the user has stored already counts for the project only; the user must be held then. Raises `QuotaExceeded`
    when it does not fit; the transaction must then be undone.
    """
    if not stored_already:
        limit = await user_limit(user_id, settings)
        if not await _added("user_id", user_id, size_bytes, limit):
            raise QuotaExceeded(
                f"Your files may take {_megabytes(limit)} MB in all, and with these they would take more. "
                "Delete projects that you no longer need, then try again."
            )
    limit = settings.max_project_storage_bytes or None
    if not await _added("project_id", project_id, size_bytes, limit):
        raise QuotaExceeded(
            f"The files of one project may take {_megabytes(limit)} MB, and with these they would take more. "
            "Use another project, or delete one that you no longer need, then try again."
        )


async def give_back(user_id: str, sizes: Mapping[str, int]) -> None:
    """Inside the transaction, and before the rows go: no longer count so many bytes of each project of a user."""
    sizes = {project_id: size for project_id, size in sizes.items() if size}
    if not sizes:
        return
    await _make("user_id", user_id)
    await StorageUse.filter(id=user_id).update(used_bytes=F("used_bytes") - sum(sizes.values()))
    for project_id in sorted(sizes):
        await _make("project_id", project_id)
        await StorageUse.filter(id=project_id).update(used_bytes=F("used_bytes") - sizes[project_id])


async def give_back_project(user_id: str, project_id: str, staying_bytes: int) -> None:
    """Inside the transaction that makes a project nobody's, before its rows change, with the user held.

    Nothing of the project counts any more but `staying_bytes`, of pictures that other projects of the user name, too.
    """
    await _make("project_id", project_id)
    used = (await StorageUse.select_for_update().get(id=project_id)).used_bytes - staying_bytes
    await StorageUse.filter(id=user_id).update(used_bytes=F("used_bytes") - used)
    await StorageUse.filter(id=project_id).delete()


async def forget(ids: Sequence[str]) -> None:
    """Inside the transaction that ends a user: drop the counters of the user and of the user's projects."""
    await StorageUse.filter(id__in=list(ids)).delete()


async def user_limit(user_id: str, settings: Settings) -> int | None:
    """Return how many bytes a user may store; None for no limit."""
    own = await fetch(_OWN_LIMIT, [user_id])
    return storage_limit(own[0]["max_storage_bytes"] if own else None, settings)


def storage_limit(own: int | None, settings: Settings) -> int | None:
    """Return the limit that counts: the user's own, else the server's; None for no limit."""
    return own if own is not None else settings.max_storage_bytes or None


async def used_bytes(user_ids: Sequence[str]) -> list[int]:
    """Return how many bytes each of the users stores, in at most three statements."""
    return await _used("user_id", user_ids, (Asset, StoredUpload))


async def used_bytes_of_projects(project_ids: Sequence[str]) -> list[int]:
    """Return how many bytes the files that each of the projects names take, in at most three statements."""
    return await _used("project_id", project_ids, (Asset, UploadedImage))


async def _used(column: str, owner_ids: Sequence[str], models: Sequence[type[Model]]) -> list[int]:
    found = {row.id: row.used_bytes for row in await StorageUse.filter(id__in=list(owner_ids))}
    if missing := [owner_id for owner_id in owner_ids if owner_id not in found]:
        for model in models:
            sums = model.filter(**{f"{column}__in": missing}).annotate(size=Sum("size_bytes")).group_by(column)
            for owner_id, size in await sums.values_list(column, "size"):
                found[owner_id] = found.get(owner_id, 0) + int(size or 0)
    return [found.get(owner_id, 0) for owner_id in owner_ids]


async def _added(column: str, owner_id: str, size_bytes: int, limit: int | None) -> bool:
    if await _add(owner_id, size_bytes, limit):
        return True
    await _make(column, owner_id)
    return await _add(owner_id, size_bytes, limit)


async def _add(owner_id: str, size_bytes: int, limit: int | None) -> bool:
    if limit is None:
        return bool(await change(_ADD, [size_bytes, owner_id]))
    return bool(await change(f"{_ADD} AND used_bytes <= ?", [size_bytes, owner_id, limit - size_bytes]))


async def _make(column: str, owner_id: str) -> None:
    mark = "$1" if db.is_postgres() else "?1"
    statement = _MAKE.format(mark=mark, column=column, uploads=_UPLOADS[column])
    await db.connection().execute_query(statement, [owner_id])


def _megabytes(size_bytes: int | None) -> str:
    return f"{(size_bytes or 0) / _MEGABYTE:g}"
