"""Projects: a game's assets under one style."""

from collections.abc import Awaitable, Callable
from typing import Final

from domain import db
from domain.clock import Clock
from domain.errors import NotFound, Unauthenticated
from domain.ids import IdPrefix, new_id, prefix_of
from domain.models.accounts import User
from domain.models.projects import Project, UploadedImage
from domain.pagination import OrderKey, Page, PageRequest, count_up, paginate
from domain.styles import Style, StyleChange, change_style, style_from_json, style_to_json
from domain.text import checked_text

MAX_NAME: Final = 200
MAX_DESCRIPTION: Final = 4000
_ORDER: Final = (OrderKey("created_at", descending=True), OrderKey("id", descending=True))


class Projects:
    """The rules of projects. Somebody else's is `NotFound`, in the words of one that never was."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def create(self, user_id: str, name: str, description: str | None, style: StyleChange | None) -> Project:
        """Make a project; fields of the style that are not given are free.

        Raises `InvalidInput`, `NotFound` for reference images (a new project has none yet), and `Unauthenticated` when
        the account has been deleted or disabled meanwhile.
        """
        now = self._clock.now()
        project = Project(
            id=new_id(IdPrefix.PROJECT),
            user_id=user_id,
            name=_checked_name(name),
            description=_checked_description(description or ""),
            style=style_to_json(Style()),
            created_at=now,
            updated_at=now,
        )
        if style is not None:
            await _restyle(project, style)
        async with db.transaction():
            # Holds the user's row, so that no project slips in behind the deletion of its account.
            if await User.filter(id=user_id, disabled_at__isnull=True).select_for_update().first() is None:
                raise Unauthenticated
            await project.save(force_create=True)
        return project

    async def update(
        self,
        user_id: str,
        project_id: str,
        *,
        name: str | None = None,
        description: str | None = None,
        style: StyleChange | None = None,
    ) -> Project:
        """Change what is given and leave the rest, also what somebody else is changing at the same moment.

        Raises `InvalidInput`, and `NotFound` for the project and for reference images that are not its own.
        """
        async with db.transaction():
            # Holds the row from reading to writing: the style is one JSON value, of which only a part may change.
            project = await _find(user_id, project_id, path=("input", "id"), lock=True)
            if name is not None:
                project.name = _checked_name(name)
            if description is not None:
                project.description = _checked_description(description)
            if style is not None:
                await _restyle(project, style)
            project.updated_at = self._clock.now()
            await project.save(update_fields=["name", "description", "style", "updated_at"])
            return project

    async def get(self, user_id: str, project_id: str) -> Project:
        """Return a project of this user, or raise `NotFound`."""
        return await _find(user_id, project_id, path=("id",))

    async def page(
        self, user_id: str, request: PageRequest, search: str | None
    ) -> tuple[Page[Project], Callable[[], Awaitable[int]]]:
        """Return one page of a user's projects, newest first, and a function that counts them all.

        `search` is a part of the name, in any case; its characters stand for themselves.
        """
        query = Project.filter(user_id=user_id)
        if search:
            query = query.filter(name__icontains=checked_text(search, maximum=MAX_NAME, path=("search",)))

        async def count() -> int:
            return await count_up(query)

        return await paginate(query, _ORDER, request), count


async def _find(user_id: str, project_id: str, *, path: tuple[str, ...], lock: bool = False) -> Project:
    # What is no id at all may hold characters that PostgreSQL refuses to compare.
    if prefix_of(project_id) is IdPrefix.PROJECT:
        query = Project.filter(id=project_id, user_id=user_id)
        project = await (query.select_for_update() if lock else query).first()
        if project is not None:
            return project
    raise NotFound("There is no such project.", path=path)


async def _restyle(project: Project, change: StyleChange) -> None:
    style = change_style(style_from_json(project.style), change)
    if change.reference_image_ids:
        ids = [image_id for image_id in style.reference_image_ids if prefix_of(image_id) is IdPrefix.IMAGE]
        mine = UploadedImage.filter(id__in=ids, user_id=project.user_id, project_id=project.id)
        if len(ids) < len(style.reference_image_ids) or await mine.count() < len(ids):
            raise NotFound(
                "One of the reference images does not exist in this project.", path=(*change.path, "referenceImageIds")
            )
    project.style = style_to_json(style)


def _checked_name(name: str) -> str:
    return checked_text(name, minimum=1, maximum=MAX_NAME, path=("input", "name"))


def _checked_description(description: str) -> str:
    return checked_text(description, maximum=MAX_DESCRIPTION, path=("input", "description"))
