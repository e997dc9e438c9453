"""All finished files of a project with the paths that they have in an archive: a folder for each task.

The files of a task name one another, an atlas its picture for one, so they stay together and keep their names; the
folder is called after the first of them. Paths are unique also where case and composition of letters do not count.
"""

import unicodedata
from collections.abc import AsyncIterator
from typing import Final

from tortoise.expressions import Q

from domain.models.projects import Project
from domain.models.tasks import Asset

_BATCH: Final = 200
_MAX_FOLDER_CHARACTERS: Final = 60
_REFUSED: Final = frozenset('<>:"/\\|?*')


async def living_project(project_id: str) -> Project | None:
    """Return a project that is not deleted, whoever's it is."""
    return await Project.filter(id=project_id, user_id__isnull=False).first()


async def files_of_project(project_id: str) -> AsyncIterator[tuple[str, Asset]]:
    """Yield path and row of each file, task by task in the order in which they were asked for, some rows at a time."""
    taken: set[str] = set()
    task_id, position, folder = "", -1, ""
    while True:
        behind = Q(task_id__gt=task_id) | Q(task_id=task_id, position__gt=position)
        query = Asset.filter(behind, project_id=project_id, user_id__isnull=False)
        rows = await query.order_by("task_id", "position").limit(_BATCH)
        for row in rows:
            if row.task_id != task_id:
                folder = _unique(_folder_name(row.name), taken)
            task_id, position = row.task_id, row.position
            yield f"{folder}/{_safe(row.name)}", row
        if len(rows) < _BATCH:
            return


def _folder_name(file_name: str) -> str:
    stem = _safe(file_name.rpartition(".")[0] or file_name)
    return stem[:_MAX_FOLDER_CHARACTERS].strip(" .") or "files"


def _safe(name: str) -> str:
    """Return a name that every file system takes."""
    clean = "".join("_" if _unsafe(character) else character for character in name).strip(" ")
    return clean if clean.strip(".") else "file"


def _unsafe(character: str) -> bool:
    return character in _REFUSED or unicodedata.category(character) in {"Cc", "Cs"}


def _unique(name: str, taken: set[str]) -> str:
    candidate, number = name, 1
    while (folded := unicodedata.normalize("NFKC", candidate).casefold()) in taken:
        number += 1
        candidate = f"{name} ({number})"
    taken.add(folded)
    return candidate
