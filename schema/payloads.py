"""What mutations answer: the result, or null and the reasons."""

from datetime import datetime

import strawberry

from domain.accounts import SignedIn
from schema.declare import described, output
from schema.errors import UserError
from schema.types.api_key import ApiKey
from schema.types.image import UploadedImage
from schema.types.project import Project
from schema.types.task import Task
from schema.types.user import User
from schema.types.webhook import Webhook, WebhookDelivery

_ERRORS = "Empty on success."


@output
class AuthPayload:
    """A user with the tokens of a session."""

    user: User | None = described("Who is logged in.", default=None)
    access_token: str | None = described("For `Authorization: Bearer`; short-lived.", default=None)
    refresh_token: str | None = described("For `refreshSession`, once.", default=None)
    expires_at: datetime | None = described("When the access token stops working.", default=None)
    errors: list[UserError] = strawberry.field(description=_ERRORS, default_factory=list)

    @classmethod
    def of(cls, signed_in: SignedIn) -> "AuthPayload":
        """Return a fresh session."""
        return cls(
            user=User.from_row(signed_in.user),
            access_token=signed_in.access_token,
            refresh_token=signed_in.refresh_token,
            expires_at=signed_in.expires_at,
        )


@output
class BasicPayload:
    """Whether it was done."""

    errors: list[UserError] = strawberry.field(description=_ERRORS, default_factory=list)


@output
class DeletePayload:
    """What was deleted."""

    deleted_id: strawberry.ID | None = described("The id, which names nothing any more.", default=None)
    errors: list[UserError] = strawberry.field(description=_ERRORS, default_factory=list)


@output
class ProjectPayload:
    """A project as it is now."""

    project: Project | None = described("The project.", default=None)
    errors: list[UserError] = strawberry.field(description=_ERRORS, default_factory=list)


@output
class TaskPayload:
    """A task as it is now."""

    task: Task | None = described("The task.", default=None)
    errors: list[UserError] = strawberry.field(description=_ERRORS, default_factory=list)


@output
class GeneratePayload:
    """The task that does what was asked."""

    task: Task | None = described("The task, new or already there.", default=None)
    deduplicated: bool = described(
        "Whether the task was there before: an identical request is active, or the idempotency key was used.",
        default=False,
    )
    errors: list[UserError] = strawberry.field(description=_ERRORS, default_factory=list)


@output
class UploadPayload:
    """A stored picture."""

    image: UploadedImage | None = described("The picture.", default=None)
    errors: list[UserError] = strawberry.field(description=_ERRORS, default_factory=list)


@output
class BatchPayload:
    """The answers to a batch."""

    results: list[GeneratePayload] = strawberry.field(
        description="One for each input, in the same order; empty when the batch itself was refused.",
        default_factory=list,
    )
    errors: list[UserError] = strawberry.field(description=_ERRORS, default_factory=list)


@output
class CancelTasksPayload:
    """How many tasks were cancelled."""

    cancelled: int = described("How many; those that had just ended are not among them.", default=0)
    errors: list[UserError] = strawberry.field(description=_ERRORS, default_factory=list)


@output
class WebhookPayload:
    """A webhook as it is now."""

    webhook: Webhook | None = described("The webhook.", default=None)
    errors: list[UserError] = strawberry.field(description=_ERRORS, default_factory=list)


@output
class WebhookSecretPayload:
    """A webhook with its secret, which is shown this once."""

    webhook: Webhook | None = described("The webhook.", default=None)
    secret: str | None = described("What its messages are signed with, as `whsec_...`; keep it.", default=None)
    errors: list[UserError] = strawberry.field(description=_ERRORS, default_factory=list)


@output
class WebhookDeliveryPayload:
    """A message as it is now."""

    delivery: WebhookDelivery | None = described("The message.", default=None)
    errors: list[UserError] = strawberry.field(description=_ERRORS, default_factory=list)


@output
class ApiKeyPayload:
    """An API key as it is now."""

    api_key: ApiKey | None = described("The key's entry.", default=None)
    key: str | None = described(
        "The key itself, for `Authorization: Bearer`: in the answer of `createApiKey`, and never again.", default=None
    )
    errors: list[UserError] = strawberry.field(description=_ERRORS, default_factory=list)
