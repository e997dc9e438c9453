"""Input of webhooks."""

import strawberry

from schema.declare import described, input_object, optional
from schema.enums import WebhookEvent


@input_object
class CreateWebhookInput:
    """A new webhook."""

    project_id: strawberry.ID = described("Whose tasks it is told of.")
    url: str = described(
        "Where to post to: http or https, at most 2,000 characters, without user name or password, and in no private "
        "network unless the operator allows it."
    )
    events: list[WebhookEvent] | None = optional("What to tell; how each task ends, unless told.")


@input_object
class UpdateWebhookInput:
    """A change of a webhook; what is left out or null stays as it is."""

    id: strawberry.ID = described("Which webhook.")
    url: str | None = optional("Where to post to from now on, also what waits already.")
    events: list[WebhookEvent] | None = optional("What to tell from now on; at least one.")
    enabled: bool | None = optional("False gives up what waits and sends nothing more; true begins again.")
