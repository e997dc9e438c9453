"""What nested fields are loaded with: many rows in one statement. `resolvers.loaders` builds the set."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from strawberry.dataloader import DataLoader

from domain.errors import NotFound
from domain.kinds import AssetType, Role
from domain.pagination import PageRequest
from domain.tasks.forecast import Estimate, Subject
from domain.tasks.queries import TaskFilter, TaskOrder
from domain.webhooks.events import DeliveryState

if TYPE_CHECKING:
    from schema.pagination import Connection
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

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class TaskPage:
    """Which tasks of which project; the filter's own project stays unset."""

    project_id: str
    request: PageRequest
    wanted: TaskFilter
    order: TaskOrder


@dataclass(frozen=True, slots=True)
class AssetPage:
    """Which assets of which project."""

    project_id: str
    request: PageRequest
    asset_type: AssetType | None


@dataclass(frozen=True, slots=True)
class DeliveryPage:
    """Which messages of which webhook."""

    webhook_id: str
    request: PageRequest
    state: DeliveryState | None


@dataclass(frozen=True, slots=True)
class UserPage:
    """Which API keys, or sessions, of which user."""

    user_id: str
    request: PageRequest


@dataclass(frozen=True, slots=True)
class EventSpan:
    """Which events of which task: at most `first` with a sequence greater than `after`."""

    task_id: str
    after: int
    first: int


@dataclass(frozen=True, slots=True)
class Loaders:
    """Loaders of one operation, or of one event of a subscription: never older, because they remember what they read.

    Each answers for the viewer alone: what is somebody else's is not there.
    """

    project: DataLoader[str, "Project | None"]
    task: DataLoader[str, "Task | None"]
    asset: DataLoader[str, "Asset | None"]
    image: DataLoader[str, "UploadedImage | None"]
    active_tasks: DataLoader[str, int]
    role_limit: DataLoader[Role, int | None]
    storage_use: DataLoader[str, int]
    project_storage_use: DataLoader[str, int]
    spent_this_month: DataLoader[str, int]
    tasks_of_project: DataLoader[TaskPage, "Connection[Task]"]
    assets_of_project: DataLoader[AssetPage, "Connection[Asset]"]
    dependencies_of_task: DataLoader[str, "list[Task]"]
    checks_of_task: DataLoader[str, "list[QualityCheck]"]
    preview: DataLoader[str, bytes | None]
    assets_of_task: DataLoader[str, "list[Asset]"]
    events_of_task: DataLoader[EventSpan, "list[TaskProgress]"]
    queue_position: DataLoader[str, int | None]
    estimate: DataLoader[Subject, Estimate]
    webhook: DataLoader[str, "Webhook | None"]
    delivery: DataLoader[str, "WebhookDelivery | None"]
    webhooks_of_project: DataLoader[str, "list[Webhook]"]
    deliveries_of_webhook: DataLoader[DeliveryPage, "Connection[WebhookDelivery]"]
    api_key: DataLoader[str, "ApiKey | None"]
    api_keys_of_user: DataLoader[UserPage, "Connection[ApiKey]"]
    session: DataLoader[str, "Session | None"]
    cleanup_run: DataLoader[str, "CleanupRun | None"]
    sessions_of_user: DataLoader[UserPage, "Connection[Session]"]


def existing(found: Found | None) -> Found:
    """Return what a loader found; raises `NotFound` for what was deleted while the operation ran."""
    if found is None:
        raise NotFound("It was deleted while this was read.")
    return found
