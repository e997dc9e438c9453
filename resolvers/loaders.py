"""The loaders of one operation: nested fields of many rows, read with one statement each."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import TypeVar

from strawberry.dataloader import DataLoader

from domain import assets, lookups
from domain.errors import Forbidden
from domain.kinds import ApiKeyScope, AssetType, Role
from domain.lifecycle import TaskStatus
from domain.models import projects
from domain.models import tasks as task_rows
from domain.models import webhooks as webhook_rows
from domain.pagination import PageRequest
from domain.quotas import used_bytes, used_bytes_of_projects
from domain.spending.ledger import spent_by_users
from domain.tasks import admission, queries
from domain.tasks.forecast import Estimate, Subject
from domain.tasks.queries import TaskFilter, TaskOrder
from domain.webhooks import queries as webhook_queries
from domain.webhooks.events import DeliveryState
from resolvers.guards import authenticated, require_session
from schema.context import Context
from schema.loaders import AssetPage, DeliveryPage, EventSpan, Loaders, TaskPage, UserPage
from schema.pagination import Connection, connection_of
from schema.types.api_key import ApiKey
from schema.types.asset import Asset
from schema.types.image import UploadedImage
from schema.types.operations import CleanupRun
from schema.types.progress import TaskProgress
from schema.types.project import Project
from schema.types.session import Session
from schema.types.task import Task
from schema.types.task_parts import QualityCheck
from schema.types.webhook import Webhook, WebhookDelivery

Key = TypeVar("Key")
Kind = TypeVar("Kind", bound=Hashable)
Value = TypeVar("Value")


def new_loaders(context: Context) -> Loaders:
    """Return fresh loaders that answer for the context's viewer."""
    rows = _Rows(context)
    pages = _Pages(context)
    return Loaders(
        project=DataLoader(rows.projects),
        task=DataLoader(rows.tasks),
        asset=DataLoader(rows.assets),
        image=DataLoader(rows.images),
        active_tasks=DataLoader(rows.active_tasks),
        role_limit=DataLoader(rows.role_limits),
        storage_use=DataLoader(used_bytes),
        project_storage_use=DataLoader(used_bytes_of_projects),
        spent_this_month=DataLoader(rows.spent_this_month),
        tasks_of_project=DataLoader(pages.tasks),
        assets_of_project=DataLoader(pages.assets),
        dependencies_of_task=DataLoader(rows.dependencies),
        checks_of_task=DataLoader(rows.checks),
        preview=DataLoader(rows.previews),
        assets_of_task=DataLoader(rows.assets_of_tasks),
        events_of_task=DataLoader(rows.events),
        queue_position=DataLoader(rows.queue_positions),
        estimate=DataLoader(rows.estimates),
        webhook=DataLoader(rows.webhooks),
        delivery=DataLoader(rows.deliveries),
        webhooks_of_project=DataLoader(rows.webhooks_of_projects),
        deliveries_of_webhook=DataLoader(pages.deliveries),
        api_key=DataLoader(rows.api_keys),
        api_keys_of_user=DataLoader(pages.api_keys),
        session=DataLoader(rows.sessions),
        cleanup_run=DataLoader(rows.cleanup_runs),
        sessions_of_user=DataLoader(pages.sessions),
    )


def _user_id(context: Context) -> str | None:
    """Return whose rows may be read; None, for an administrator, means everybody's."""
    viewer = authenticated(context)
    return None if viewer.is_admin else viewer.user.id


class _Rows:
    """Loads by id."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @property
    def _user_id(self) -> str | None:
        return _user_id(self._context)

    async def projects(self, ids: list[str]) -> list[Project | None]:
        found = await lookups.owned_rows(projects.Project, self._user_id, ids)
        return [Project.from_row(found[key]) if key in found else None for key in ids]

    async def tasks(self, ids: list[str]) -> list[Task | None]:
        found = await lookups.owned_rows(task_rows.Task, self._user_id, ids)
        return [Task.from_row(found[key]) if key in found else None for key in ids]

    async def assets(self, ids: list[str]) -> list[Asset | None]:
        found = await lookups.owned_rows(task_rows.Asset, self._user_id, ids)
        return [Asset.from_row(found[key]) if key in found else None for key in ids]

    async def images(self, ids: list[str]) -> list[UploadedImage | None]:
        found = await lookups.owned_rows(projects.UploadedImage, self._user_id, ids)
        return [UploadedImage.from_row(found[key]) if key in found else None for key in ids]

    async def active_tasks(self, user_ids: list[str]) -> list[int]:
        found = await lookups.active_counts(user_ids)
        return [found.get(key, 0) for key in user_ids]

    async def role_limits(self, roles: list[Role]) -> list[int | None]:
        found = await admission.role_limits()
        return [found.get(role) for role in roles]

    async def dependencies(self, ids: list[str]) -> list[list[Task]]:
        found = await lookups.dependencies_of_tasks(self._user_id, ids)
        return [[Task.from_row(row) for row in found.get(key, ())] for key in ids]

    async def checks(self, ids: list[str]) -> list[list[QualityCheck]]:
        found = await lookups.checks_of_tasks(ids)
        return [[QualityCheck.from_row(row) for row in found.get(key, ())] for key in ids]

    async def previews(self, ids: list[str]) -> list[bytes | None]:
        found = await lookups.previews_of_tasks(ids)
        return [found.get(key) for key in ids]

    async def assets_of_tasks(self, ids: list[str]) -> list[list[Asset]]:
        found = await lookups.assets_of_tasks(self._user_id, ids)
        return [[Asset.from_row(row) for row in found.get(key, ())] for key in ids]

    async def spent_this_month(self, user_ids: list[str]) -> list[int]:
        return await spent_by_users(user_ids, self._context.services.clock.now())

    async def events(self, spans: list[EventSpan]) -> list[list[TaskProgress]]:
        async def load(span: tuple[int, int], task_ids: list[str]) -> dict[str, list[TaskProgress]]:
            found = await lookups.events_of_tasks(task_ids, *span)
            return {key: [TaskProgress.of(event) for event in found.get(key, ())] for key in task_ids}

        return await _by_kind(spans, lambda span: (span.after, span.first), lambda span: span.task_id, load)

    async def queue_positions(self, ids: list[str]) -> list[int | None]:
        found = await self._context.services.tasks.queue_positions(ids)
        return [found.get(key) for key in ids]

    async def estimates(self, subjects: list[Subject]) -> list[Estimate]:
        waiting = [subject.task_id for subject in subjects if subject.status is TaskStatus.PENDING]
        places = await self._context.loaders.queue_position.load_many(waiting)
        positions = dict(zip(waiting, places, strict=True))
        found = await self._context.services.tasks.estimates(subjects, positions)
        return [found.get(subject.task_id, Estimate()) for subject in subjects]

    async def webhooks(self, ids: list[str]) -> list[Webhook | None]:
        found = await lookups.owned_rows(webhook_rows.Webhook, self._user_id, ids)
        return [Webhook.from_row(found[key]) if key in found else None for key in ids]

    async def deliveries(self, ids: list[str]) -> list[WebhookDelivery | None]:
        found = await webhook_queries.owned_deliveries(self._user_id, ids)
        return [WebhookDelivery.from_row(found[key]) if key in found else None for key in ids]

    async def api_keys(self, ids: list[str]) -> list[ApiKey | None]:
        viewer = authenticated(self._context)
        if viewer.scopes is not None:
            return [None] * len(ids)
        found = await self._context.services.api_keys.owned(viewer.user.id, ids)
        return [ApiKey.from_row(found[key]) if key in found else None for key in ids]

    async def sessions(self, ids: list[str]) -> list[Session | None]:
        viewer = authenticated(self._context)
        if viewer.scopes is not None:
            return [None] * len(ids)
        found = await self._context.services.sessions.owned(viewer.user.id, ids)
        return [Session.from_row(found[key], viewer) if key in found else None for key in ids]

    async def cleanup_runs(self, ids: list[str]) -> list[CleanupRun | None]:
        viewer = authenticated(self._context)
        if not viewer.is_admin or not viewer.may(ApiKeyScope.ADMIN):
            return [None] * len(ids)
        found = await self._context.services.admin.cleanup_runs_by_id(ids)
        return [CleanupRun.from_row(found[key]) if key in found else None for key in ids]

    async def webhooks_of_projects(self, ids: list[str]) -> list[list[Webhook]]:
        found = await webhook_queries.webhooks_of_projects(self._user_id, ids)
        return [[Webhook.from_row(row) for row in found.get(key, ())] for key in ids]


class _Pages:
    """Loads the same page of several lists: of projects, or of webhooks."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def tasks(self, pages: list[TaskPage]) -> list[Connection[Task]]:
        user_id = _user_id(self._context)

        async def load(
            kind: tuple[PageRequest, TaskFilter, TaskOrder], project_ids: list[str]
        ) -> dict[str, Connection[Task]]:
            request, wanted, order = kind
            found = await queries.pages_of_projects(user_id, project_ids, request, wanted, order)
            count = _counter(lambda ids: queries.counts_of_projects(user_id, ids, wanted))
            return {key: connection_of(page, Task.from_row, count(key)) for key, page in found.items()}

        return await _by_kind(
            pages, lambda page: (page.request, page.wanted, page.order), lambda page: page.project_id, load
        )

    async def assets(self, pages: list[AssetPage]) -> list[Connection[Asset]]:
        user_id = _user_id(self._context)

        async def load(
            kind: tuple[PageRequest, AssetType | None], project_ids: list[str]
        ) -> dict[str, Connection[Asset]]:
            request, asset_type = kind
            found = await assets.pages_of_projects(user_id, project_ids, request, asset_type)
            count = _counter(lambda ids: assets.counts_of_projects(user_id, ids, asset_type))
            return {key: connection_of(page, Asset.from_row, count(key)) for key, page in found.items()}

        return await _by_kind(pages, lambda page: (page.request, page.asset_type), lambda page: page.project_id, load)

    async def deliveries(self, pages: list[DeliveryPage]) -> list[Connection[WebhookDelivery]]:
        async def load(
            kind: tuple[PageRequest, DeliveryState | None], webhook_ids: list[str]
        ) -> dict[str, Connection[WebhookDelivery]]:
            request, state = kind
            # The webhooks were found to be the viewer's, or there would be no page of them to ask for.
            found = await webhook_queries.pages_of_webhooks(webhook_ids, request, state)
            count = _counter(lambda ids: webhook_queries.counts_of_webhooks(ids, state))
            return {key: connection_of(page, WebhookDelivery.from_row, count(key)) for key, page in found.items()}

        return await _by_kind(pages, lambda page: (page.request, page.state), lambda page: page.webhook_id, load)

    async def api_keys(self, pages: list[UserPage]) -> list[Connection[ApiKey] | BaseException]:
        async def load(page: UserPage) -> Connection[ApiKey]:
            found, count = await self._context.services.api_keys.page(page.user_id, page.request)
            return connection_of(found, ApiKey.from_row, count)

        return await self._own(pages, load)

    async def sessions(self, pages: list[UserPage]) -> list[Connection[Session] | BaseException]:
        viewer = authenticated(self._context)

        async def load(page: UserPage) -> Connection[Session]:
            found, count = await self._context.services.sessions.page(page.user_id, page.request)
            return connection_of(found, lambda row: Session.from_row(row, viewer), count)

        return await self._own(pages, load)

    async def _own(
        self, pages: list[UserPage], load: Callable[[UserPage], Awaitable[Value]]
    ) -> list[Value | BaseException]:
        """Load what vouches for a user: for themselves, logged in, and for nobody else."""
        viewer = authenticated(self._context)
        require_session(viewer)
        refused = Forbidden("Only their owner sees API keys and sessions.")
        return [await load(page) if page.user_id == viewer.user.id else refused for page in pages]


def _counter(
    count_all: Callable[[Sequence[str]], Awaitable[dict[str, int]]],
) -> Callable[[str], Callable[[], Awaitable[int]]]:
    """Return what makes one list's counter, where all the lists that are counted take one statement."""

    async def load(ids: list[str]) -> list[int]:
        counts = await count_all(ids)
        return [counts[key] for key in ids]

    loader = DataLoader(load)
    return lambda key: lambda: loader.load(key)


async def _by_kind(
    keys: list[Key],
    kind_of: Callable[[Key], Kind],
    id_of: Callable[[Key], str],
    load: Callable[[Kind, list[str]], Awaitable[dict[str, Value]]],
) -> list[Value]:
    """Load keys of which only those of one kind can share a statement; kinds are as many as the document has fields."""
    kinds: defaultdict[Kind, list[str]] = defaultdict(list)
    for key in keys:
        kinds[kind_of(key)].append(id_of(key))
    found = {kind: await load(kind, ids) for kind, ids in kinds.items()}
    return [found[kind_of(key)][id_of(key)] for key in keys]
