"""Accounts and sessions."""

from typing import Annotated

import strawberry

from resolvers.errors import answers
from resolvers.guards import user_of, viewer_of
from schema.context import Info
from schema.declare import argument, given, mutation, resolved
from schema.inputs.accounts import ChangePasswordInput, LoginInput, SignupInput
from schema.node import own_id
from schema.payloads import AuthPayload, BasicPayload, DeletePayload
from schema.types.user import User


@strawberry.type
class AccountQueries:
    """Who asks."""

    @resolved
    async def me(self, info: Info) -> User | None:
        """Who you are; null without a valid token."""
        viewer = info.context.viewer
        return None if viewer is None else User.from_row(viewer.user)


@strawberry.type
class AccountMutations:
    """Opening accounts and sessions, and ending sessions."""

    @mutation
    @answers(AuthPayload)
    async def signup(self, info: Info, input: Annotated[SignupInput, argument("The new account.")]) -> AuthPayload:
        """Open an account, and a session of it."""
        services, client = info.context.services, info.context.client_address
        services.rate_limits.signup(client)
        name = given(input.display_name)
        return AuthPayload.of(
            await services.accounts.signup(input.email, input.password, name, client, info.context.user_agent)
        )

    @mutation
    @answers(AuthPayload)
    async def login(self, info: Info, input: Annotated[LoginInput, argument("Who you are.")]) -> AuthPayload:
        """Open a session."""
        services, client = info.context.services, info.context.client_address
        services.rate_limits.login(client)
        return AuthPayload.of(
            await services.accounts.login(input.email, input.password, client, info.context.user_agent)
        )

    @mutation
    @answers(AuthPayload)
    async def refresh_session(
        self, info: Info, refresh_token: Annotated[str, argument("The newest one of the session.")]
    ) -> AuthPayload:
        """Exchange a refresh token for new tokens.

        A refresh token is good once: when it comes a second time, somebody has stolen it, and the whole session ends.
        """
        return AuthPayload.of(await info.context.services.accounts.refresh(refresh_token))

    @mutation
    @answers(BasicPayload)
    async def logout(self, info: Info) -> BasicPayload:
        """End the session: none of its tokens works any more."""
        await info.context.services.accounts.logout(viewer_of(info))
        return BasicPayload()

    @mutation
    @answers(DeletePayload)
    async def revoke_session(
        self, info: Info, id: Annotated[strawberry.ID, argument("Which one; the present one too.")]
    ) -> DeletePayload:
        """End one of your sessions: none of its tokens works any more, and what it has open is closed."""
        await info.context.services.sessions.revoke(user_of(info).id, own_id(id))
        return DeletePayload(deleted_id=id)

    @mutation
    @answers(BasicPayload)
    async def logout_everywhere(
        self,
        info: Info,
        api_keys: Annotated[  # noqa: FBT002 (the API's default)
            bool | None, argument("Whether your API keys end as well; false unless told.")
        ] = False,
    ) -> BasicPayload:
        """End all of your sessions, this one included."""
        await info.context.services.sessions.end_all(user_of(info).id, api_keys=bool(api_keys))
        return BasicPayload()

    @mutation
    @answers(AuthPayload)
    async def change_password(
        self,
        info: Info,
        input: Annotated[ChangePasswordInput, argument("Both passwords.")],
    ) -> AuthPayload:
        """Set a new password. Every earlier token stops working, open subscriptions included."""
        accounts = info.context.services.accounts
        changed = await accounts.change_password(
            viewer_of(info), input.current_password, input.new_password, info.context.user_agent
        )
        return AuthPayload.of(changed)

    @mutation
    @answers(DeletePayload)
    async def delete_account(
        self, info: Info, password: Annotated[str, argument("The account's password.")]
    ) -> DeletePayload:
        """Delete your account at once and for good: projects, tasks, files, API keys, sessions.

        Its active tasks are cancelled and its sockets closed, and the email address is free again. The only
        administrator of a server with other accounts must make another one first.
        """
        viewer = viewer_of(info)
        await info.context.services.account_control.delete_own(viewer, password)
        return DeletePayload(deleted_id=strawberry.ID(viewer.user.id))
