"""All finished files of a project with the paths that they have in an archive: a folder for each task.

The files of a task name one another, an atlas its picture for one, so they stay together and keep their names; the
folder is called after the first of them. Paths are unique also where case and composition of letters do not count.
"""

import re
import unicodedata
from collections.abc import AsyncGenerator
from typing import Final

from tortoise.expressions import Q

from domain.models.projects import Project
from domain.models.tasks import Asset
from domain.storage.disposition import is_unsafe

_BATCH: Final = 200
_MAX_FOLDER_CHARACTERS: Final = 60
_REFUSED: Final = frozenset('<>:"/\\|?*')
#: Names that are devices on Windows, whatever their extension, so that no file can be called so there.
_DEVICES: Final = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])\s*(\..*)?", re.IGNORECASE
)


async def living_project(project_id: str) -> Project | None:
    """Return a project that is not deleted, whoever's it is."""
    return await Project.filter(id=project_id, user_id__isnull=False).first()


async def files_of_project(project_id: str) -> AsyncGenerator[tuple[str, Asset], None]:
    """Yield path and row of each file, task by task in the order in which they were asked for, some rows at a time."""
    taken: set[str] = set()
    inside: set[str] = set()
    task_id, position, folder = "", -1, ""
    while True:
        behind = Q(task_id__gt=task_id) | Q(task_id=task_id, position__gt=position)
        query = Asset.filter(behind, project_id=project_id, user_id__isnull=False)
        rows = await query.order_by("task_id", "position").limit(_BATCH)
        for row in rows:
            if row.task_id != task_id:
                folder, inside = _unique(_folder_name(row.name), taken), set()
            task_id, position = row.task_id, row.position
            yield f"{folder}/{_unique(_safe(row.name), inside)}", row
        if len(rows) < _BATCH:
            return


def _folder_name(file_name: str) -> str:
    stem = _safe(file_name.rpartition(".")[0] or file_name)
    return stem[:_MAX_FOLDER_CHARACTERS].strip(" .") or "files"


def _safe(name: str) -> str:
    """Return a name that every file system takes."""
    clean = "".join("_" if _unsafe(character) else character for character in name).strip(" ")
    if _DEVICES.fullmatch(clean):
        return f"_{clean}"
    return clean if clean.strip(".") else "file"


def _unsafe(character: str) -> bool:
    return character in _REFUSED or is_unsafe(character)


def _unique(name: str, taken: set[str]) -> str:
    candidate, number = name, 1
    stem, dot, ending = name.rpartition(".") if name.rpartition(".")[0] else (name, "", "")
    while (folded := unicodedata.normalize("NFKC", candidate).casefold()) in taken:
        number += 1
        candidate = f"{stem} ({number}){dot}{ending}"
    taken.add(folded)
    return candidate
