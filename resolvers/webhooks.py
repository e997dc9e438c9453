"""Webhooks."""

from typing import Annotated

import strawberry

from domain.webhooks.service import WebhookWithSecret
from resolvers.errors import answers
from resolvers.guards import user_of
from schema.context import Info
from schema.declare import argument, given, mutation
from schema.inputs.webhooks import CreateWebhookInput, UpdateWebhookInput
from schema.node import own_id
from schema.payloads import DeletePayload, WebhookDeliveryPayload, WebhookPayload, WebhookSecretPayload
from schema.types.webhook import Webhook, WebhookDelivery

_Id = Annotated[strawberry.ID, argument("Which one.")]


@strawberry.type
class WebhookMutations:
    """Being told of tasks."""

    @mutation
    @answers(WebhookSecretPayload)
    async def create_webhook(
        self, info: Info, input: Annotated[CreateWebhookInput, argument("The new webhook.")]
    ) -> WebhookSecretPayload:
        """Have an address told of a project's tasks. The secret is shown in this answer and never again."""
        made = await info.context.services.webhooks.create(
            user_of(info).id, own_id(input.project_id), input.url, given(input.events)
        )
        return _with_secret(made)

    @mutation
    @answers(WebhookPayload)
    async def update_webhook(
        self, info: Info, input: Annotated[UpdateWebhookInput, argument("The change.")]
    ) -> WebhookPayload:
        """Change a webhook, or enable or disable it."""
        row = await info.context.services.webhooks.update(
            user_of(info).id,
            own_id(input.id),
            url=given(input.url),
            events=given(input.events),
            enabled=given(input.enabled),
        )
        return WebhookPayload(webhook=Webhook.from_row(row))

    @mutation
    @answers(WebhookSecretPayload)
    async def rotate_webhook_secret(self, info: Info, id: _Id) -> WebhookSecretPayload:
        """Give a webhook a new secret. For 24 hours messages are signed with the one until now as well."""
        return _with_secret(await info.context.services.webhooks.rotate_secret(user_of(info).id, own_id(id)))

    @mutation
    @answers(DeletePayload)
    async def delete_webhook(self, info: Info, id: _Id) -> DeletePayload:
        """Delete a webhook with the log of its messages; nothing is sent to it any more."""
        await info.context.services.webhooks.delete(user_of(info).id, own_id(id))
        return DeletePayload(deleted_id=id)

    @mutation
    @answers(WebhookDeliveryPayload)
    async def test_webhook(self, info: Info, id: _Id) -> WebhookDeliveryPayload:
        """Send a message of type webhook.ping, once; read the delivery again to see what came of it."""
        row = await info.context.services.webhooks.ping(user_of(info).id, own_id(id))
        return WebhookDeliveryPayload(delivery=WebhookDelivery.from_row(row))

    @mutation
    @answers(WebhookDeliveryPayload)
    async def redeliver_webhook(
        self, info: Info, delivery_id: Annotated[strawberry.ID, argument("Which message.")]
    ) -> WebhookDeliveryPayload:
        """Send a message that was not delivered once more, under the same id. One that was delivered is refused."""
        row = await info.context.services.webhooks.redeliver(user_of(info).id, own_id(delivery_id))
        return WebhookDeliveryPayload(delivery=WebhookDelivery.from_row(row))


def _with_secret(made: WebhookWithSecret) -> WebhookSecretPayload:
    return WebhookSecretPayload(webhook=Webhook.from_row(made.webhook), secret=made.secret)
