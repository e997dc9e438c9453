"""The closed vocabularies, as the API publishes them: the domain's own enums, described."""

from collections.abc import Mapping
from enum import Enum, StrEnum

import strawberry

from domain.kinds import ApiKeyScope, AssetType, AtlasFormat, ImageFormat, Role, TaskKind
from domain.lifecycle import TaskStage, TaskStatus
from domain.tasks.admission import LimitSource
from domain.tasks.queries import TaskOrder
from domain.webhooks.events import DeliveryState, WebhookEvent

__all__ = [
    "ApiKeyScope",
    "AssetType",
    "AtlasFormat",
    "DeliveryState",
    "ErrorCode",
    "ImageFormat",
    "LimitSource",
    "Role",
    "TaskKind",
    "TaskOrder",
    "TaskStage",
    "TaskStatus",
    "WebhookEvent",
]


class ErrorCode(StrEnum):
    """Why something could not be done. Stable: clients may decide by it."""

    INVALID_INPUT = "INVALID_INPUT"
    EMAIL_TAKEN = "EMAIL_TAKEN"
    INVALID_CREDENTIALS = "INVALID_CREDENTIALS"
    WEAK_PASSWORD = "WEAK_PASSWORD"  # noqa: S105 (a code, no secret)
    NOT_FOUND = "NOT_FOUND"
    CONFLICT = "CONFLICT"
    TASK_LIMIT_REACHED = "TASK_LIMIT_REACHED"
    QUEUE_FULL = "QUEUE_FULL"
    NOT_CANCELLABLE = "NOT_CANCELLABLE"
    NOT_RETRYABLE = "NOT_RETRYABLE"
    PROVIDER_UNAVAILABLE = "PROVIDER_UNAVAILABLE"
    UNSUPPORTED_MEDIA = "UNSUPPORTED_MEDIA"
    TOO_LARGE = "TOO_LARGE"
    QUOTA_EXCEEDED = "QUOTA_EXCEEDED"
    BUDGET_EXCEEDED = "BUDGET_EXCEEDED"
    RATE_LIMITED = "RATE_LIMITED"


def _publish(enum: type[Enum], values: Mapping[str, str]) -> None:
    """Declare an enum, described by its docstring, with the description of each of its values."""
    published = strawberry.enum(enum, description=enum.__doc__)
    for value in published.__strawberry_definition__.values:  # type: ignore[attr-defined]  # set by strawberry.enum
        value.description = values[value.name]


_publish(Role, {"USER": "Sees and changes their own things.", "ADMIN": "Operates the server."})
_publish(
    LimitSource,
    {
        "USER": "Set for this user, with `setUserLimits`.",
        "ROLE": "Set for everybody of the role, with `setRoleLimits`.",
        "SERVER": "The server's own, `WONDER_MAX_ACTIVE_TASKS`.",
    },
)
_publish(
    ApiKeyScope,
    {
        "READ": "Read everything of yours, and follow it live; every key may.",
        "GENERATE": "Also make, change, cancel, retry and delete: projects, tasks, pictures, webhooks.",
        "ADMIN": "Also what administrators see and do; of an administrator's key only.",
    },
)
_publish(
    AssetType,
    {
        "SPRITE": "One character, creature or object, cut out.",
        "SPRITESHEET": "Animations of one character, packed on a sheet with an atlas.",
        "TILESET": "Tiles that fit each other, on a grid.",
        "ICON": "A small picture of a thing, for inventories and menus.",
        "BACKGROUND": "A scene behind the game.",
        "PORTRAIT": "A face, for dialogues.",
        "UI": "A panel, button or other part of an interface.",
        "VIDEO": "A short clip.",
    },
)
_publish(
    TaskKind,
    {
        "TEXT_TO_IMAGE": "A picture from words.",
        "IMAGE_TO_IMAGE": "A picture from words and a source image.",
        "TEXT_TO_VIDEO": "A clip from words.",
        "IMAGE_TO_VIDEO": "A clip from words and a source image.",
    },
)
_publish(
    TaskStatus,
    {
        "PENDING": "Waiting: for its turn, for tasks it depends on, or for its next attempt.",
        "RUNNING": "Being worked on.",
        "COMPLETED": "Done; its assets are there.",
        "FAILED": "Ended without a result; `error` says why.",
        "CANCELLED": "Ended because its owner wanted it so.",
        "TIMEOUT": "Ended because it took longer than it may.",
    },
)
_publish(
    TaskStage,
    {
        "PROMPT_BUILDER": "Putting style, subject and technical requirements into words: 0 to 20 %.",
        "ASSET_GENERATOR": "Waiting for the provider's picture or clip: 20 to 60 %.",
        "QUALITY_SUPERVISOR": "Measuring the result: 60 to 80 %.",
        "FORMAT_ADAPTER": "Converting, packing and storing: 80 to 100 %.",
    },
)
_publish(
    TaskOrder,
    {
        "CREATED_DESC": "Newest first.",
        "CREATED_ASC": "Oldest first.",
        "PRIORITY_DESC": "Highest priority first, then oldest first: as they will run.",
    },
)
_publish(
    ImageFormat,
    {
        "PNG": "Lossless, with transparency.",
        "WEBP": "Lossless WebP, with transparency.",
        "JPEG": "Small, without transparency.",
        "GIF": "At most 256 colors; animated where there are frames.",
        "APNG": "Animated PNG.",
    },
)
_publish(
    AtlasFormat,
    {
        "JSON_HASH": "JSON with frames by name, as PixiJS and Phaser read it.",
        "JSON_ARRAY": "JSON with frames in a list, as Phaser reads it.",
        "ASEPRITE": "JSON as Aseprite exports it, with frame tags.",
        "GODOT": "A resource of Godot 4.",
        "TILED": "A tileset of Tiled.",
        "UNITY": "Import settings for Unity.",
    },
)
_publish(
    WebhookEvent,
    {
        "TASK_COMPLETED": "A task is done; its assets are there.",
        "TASK_FAILED": "A task ended without a result.",
        "TASK_CANCELLED": "A task was cancelled.",
        "TASK_TIMEOUT": "A task took longer than it may.",
        "TASK_PROGRESS": "A task went on. Told every two seconds at most, and only the latest step of each task.",
    },
)
_publish(
    DeliveryState,
    {
        "PENDING": "To be sent, or to be tried again.",
        "DELIVERED": "The receiver answered with success; it is never sent again.",
        "FAILED": "Given up: after the last try, or because the receiver answered 410 Gone.",
        "SKIPPED": "Not sent, because the webhook was disabled.",
    },
)
_publish(
    ErrorCode,
    {
        "INVALID_INPUT": "A field of the input is not valid; `path` names it.",
        "EMAIL_TAKEN": "There is an account with this email address.",
        "INVALID_CREDENTIALS": "Wrong email, password or refresh token.",
        "WEAK_PASSWORD": "The password is not 8 to 72 bytes long, or is among those that are guessed first.",
        "NOT_FOUND": "There is no such thing, or it is somebody else's.",
        "CONFLICT": "It contradicts what was done before.",
        "TASK_LIMIT_REACHED": "You have as many active tasks as you may have.",
        "QUEUE_FULL": "The server has as many waiting tasks as it may; `retryAfterSeconds` says when to try again.",
        "NOT_CANCELLABLE": "The task has already ended.",
        "NOT_RETRYABLE": "The task has completed or is still active.",
        "PROVIDER_UNAVAILABLE": "No configured provider does this kind of task.",
        "UNSUPPORTED_MEDIA": "The file is not a picture that can be read.",
        "TOO_LARGE": "The file, or its picture, is too large.",
        "QUOTA_EXCEEDED": "Your files, or those of the project, take as much space as they may.",
        "BUDGET_EXCEEDED": "Your budget for this month does not allow this.",
        "RATE_LIMITED": "Too many requests; `retryAfterSeconds` says when to try again.",
    },
)
