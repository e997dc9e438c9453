"""API keys for tests: a user who has logged in, and what they make."""

from datetime import timedelta
from typing import Any

from domain.accounts import Viewer
from domain.api_keys import ApiKeys, NewApiKey
from domain.clock import Clock
from domain.ids import IdPrefix, new_id
from domain.kinds import ApiKeyScope
from domain.models.accounts import Session, User

ALL_SCOPES = tuple(ApiKeyScope)


async def open_session(clock: Clock, user: User) -> Viewer:
    """Return a viewer whose session has a row, as after a log-in."""
    now = clock.now()
    session = await Session.create(
        id=new_id(IdPrefix.SESSION),
        user_id=user.id,
        current_token_id=new_id(IdPrefix.TOKEN),
        created_at=now,
        last_used_at=now,
        expires_at=now + timedelta(days=30),
    )
    return Viewer(user, session.id, now + timedelta(minutes=15))


async def make_key(keys: ApiKeys, viewer: Viewer, *scopes: ApiKeyScope, **options: Any) -> NewApiKey:
    name = options.pop("name", "build server 🤖")
    return await keys.create(viewer.user.id, viewer.session_id, name, scopes or (ApiKeyScope.READ,), **options)
