"""Seeing sessions, and ending one or all."""

import asyncio

import pytest

from domain.accounts import Accounts, SignedIn, Viewer
from domain.api_keys import ApiKeys
from domain.errors import NotFound
from domain.ids import IdPrefix, new_id
from domain.models.accounts import Session
from domain.pagination import PageRequest
from domain.sessions import Sessions, shown_agent
from tests.conftest import MovableClock
from tests.helpers.keys import make_key

EMAIL, PASSWORD = "ann@example.com", "correct horse 🐴"
DAY = 86_400


@pytest.fixture
def sessions(database: str, clock: MovableClock, revoked: list[str]) -> Sessions:
    return Sessions(clock, revoked.append)


@pytest.fixture
async def ann(accounts: Accounts) -> SignedIn:
    return await accounts.signup(EMAIL, PASSWORD, None, user_agent="Firefox 🦊")


async def viewer_of(accounts: Accounts, signed_in: SignedIn) -> Viewer:
    viewer = await accounts.authenticate(signed_in.access_token)
    assert viewer is not None
    return viewer


async def test_sessions_are_listed_with_where_and_when(
    accounts: Accounts, sessions: Sessions, ann: SignedIn, clock: MovableClock
) -> None:
    began = clock.instant
    clock.advance(60)
    await accounts.login(EMAIL, PASSWORD, user_agent="curl/8")
    clock.advance(60)
    await accounts.refresh(ann.refresh_token)
    page, count = await sessions.page(ann.user.id, PageRequest(first=10))
    newest, oldest = page.items
    assert await count() == 2
    assert (newest.user_agent, oldest.user_agent) == ("curl/8", "Firefox 🦊")
    assert (oldest.created_at, oldest.last_used_at) == (began, clock.instant)
    assert newest.created_at == newest.last_used_at


async def test_sessions_that_are_over_are_not_listed(
    accounts: Accounts, sessions: Sessions, ann: SignedIn, clock: MovableClock
) -> None:
    await accounts.logout(await viewer_of(accounts, ann))
    page, _ = await sessions.page(ann.user.id, PageRequest())
    assert page.items == []
    await accounts.login(EMAIL, PASSWORD)
    clock.advance(30 * DAY)
    page, count = await sessions.page(ann.user.id, PageRequest())
    assert (page.items, await count()) == ([], 0)


async def test_one_session_is_ended_and_the_others_go_on(
    accounts: Accounts, sessions: Sessions, ann: SignedIn, revoked: list[str]
) -> None:
    other = await accounts.login(EMAIL, PASSWORD)
    ended = (await viewer_of(accounts, other)).session_id
    await sessions.revoke(ann.user.id, ended)
    assert revoked == [ended]
    assert await accounts.authenticate(other.access_token) is None
    assert await accounts.authenticate(ann.access_token) is not None
    with pytest.raises(NotFound):
        await sessions.revoke(ann.user.id, ended)


async def test_somebody_elses_session_does_not_exist(
    accounts: Accounts, sessions: Sessions, ann: SignedIn, revoked: list[str]
) -> None:
    eve = await accounts.signup("eve@example.com", PASSWORD, None)
    mine = (await viewer_of(accounts, ann)).session_id
    messages = set()
    for session_id in (mine, new_id(IdPrefix.SESSION), ann.user.id, "", "\x00"):
        with pytest.raises(NotFound) as caught:
            await sessions.revoke(eve.user.id, session_id)
        messages.add(caught.value.message)
    assert (len(messages), revoked) == (1, [])
    assert await sessions.owned(eve.user.id, [mine]) == {}
    assert await accounts.authenticate(ann.access_token) is not None


@pytest.mark.parametrize("api_keys", [False, True])
async def test_all_sessions_end_at_once_and_keys_if_wanted(
    accounts: Accounts, sessions: Sessions, ann: SignedIn, revoked: list[str], clock: MovableClock, *, api_keys: bool
) -> None:
    viewer = await viewer_of(accounts, ann)
    key = await make_key(ApiKeys(clock, revoked.append), viewer)
    other = await viewer_of(accounts, await accounts.login(EMAIL, PASSWORD))
    await sessions.end_all(ann.user.id, api_keys=api_keys)
    assert set(revoked) == {viewer.session_id, other.session_id} | ({key.row.id} if api_keys else set())
    assert await accounts.authenticate(ann.access_token) is None
    assert (await accounts.authenticate(key.text) is None) is api_keys


async def test_a_session_that_begins_meanwhile_is_told_of_if_it_ends(
    accounts: Accounts, sessions: Sessions, ann: SignedIn, revoked: list[str]
) -> None:
    logins = [accounts.login(EMAIL, PASSWORD) for _ in range(4)]
    await asyncio.gather(*logins, sessions.end_all(ann.user.id, api_keys=False))
    ended = await Session.filter(revoked_at__isnull=False).values_list("id", flat=True)
    assert set(revoked) == set(ended)
    assert await accounts.authenticate(ann.access_token) is None


def test_what_clients_call_themselves_is_kept_short_and_printable() -> None:
    assert shown_agent("curl/8\x00\r\n\x1b[2J") == "curl/8[2J"
    assert shown_agent("x" * 500) == "x" * 200
    assert shown_agent(" \t") is None
