"""API keys."""

from typing import Annotated

import strawberry

from resolvers.errors import answers
from resolvers.guards import user_of, viewer_of
from schema.context import Info
from schema.declare import argument, given, mutation
from schema.inputs.accounts import CreateApiKeyInput
from schema.node import own_id
from schema.payloads import ApiKeyPayload
from schema.types.api_key import ApiKey


@strawberry.type
class ApiKeyMutations:
    """Credentials for programs."""

    @mutation
    @answers(ApiKeyPayload)
    async def create_api_key(
        self, info: Info, input: Annotated[CreateApiKeyInput, argument("The new key.")]
    ) -> ApiKeyPayload:
        """Make an API key. `key` is shown in this answer and never again; keep it like a password."""
        viewer = viewer_of(info)
        made = await info.context.services.api_keys.create(
            viewer.user.id,
            viewer.session_id,
            input.name,
            input.scopes,
            expires_in_days=given(input.expires_in_days),
            expires_at=given(input.expires_at),
        )
        return ApiKeyPayload(api_key=ApiKey.from_row(made.row), key=made.text)

    @mutation
    @answers(ApiKeyPayload)
    async def revoke_api_key(self, info: Info, id: Annotated[strawberry.ID, argument("Which one.")]) -> ApiKeyPayload:
        """End an API key for good; what it has open is closed."""
        row = await info.context.services.api_keys.revoke(user_of(info).id, own_id(id))
        return ApiKeyPayload(api_key=ApiKey.from_row(row))
