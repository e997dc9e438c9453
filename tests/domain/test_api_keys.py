"""Making, using and revoking API keys."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from domain.accounts import Accounts, SignedIn, Viewer
from domain.api_keys import KEPT_DAYS, MAX_KEYS, ApiKeys
from domain.errors import Conflict, DomainError, InvalidInput, NotFound, Unauthenticated
from domain.ids import IdPrefix, new_id
from domain.kinds import ApiKeyScope, Role
from domain.models.accounts import ApiKey, Session, User
from domain.pagination import PageRequest
from tests.conftest import MovableClock
from tests.helpers.keys import ALL_SCOPES, make_key
from tests.helpers.sql import recorded_sql

DAY = 86_400
PASSWORD = "correct horse 🐴"


@pytest.fixture
def keys(database: str, clock: MovableClock, revoked: list[str]) -> ApiKeys:
    return ApiKeys(clock, revoked.append)


@pytest.fixture
async def ann(accounts: Accounts) -> Viewer:
    return await viewer_of(accounts, await accounts.signup("ann@example.com", PASSWORD, None))


async def viewer_of(accounts: Accounts, signed_in: SignedIn) -> Viewer:
    viewer = await accounts.authenticate(signed_in.access_token)
    assert viewer is not None
    return viewer


async def test_a_key_stands_for_its_user_within_its_scopes(
    accounts: Accounts, keys: ApiKeys, ann: Viewer, clock: MovableClock
) -> None:
    made = await make_key(keys, ann, ApiKeyScope.GENERATE, expires_in_days=7)
    viewer = await accounts.authenticate(made.text)
    assert viewer is not None
    assert (viewer.user.id, viewer.session_id) == (ann.user.id, made.row.id)
    assert viewer.expires_at == made.row.expires_at == clock.instant + timedelta(days=7)
    assert [viewer.may(scope) for scope in ALL_SCOPES] == [True, True, False]
    assert [ann.may(scope) for scope in ALL_SCOPES] == [True, True, True]


async def test_the_row_does_not_give_the_key_away(keys: ApiKeys, ann: Viewer) -> None:
    made = await make_key(keys, ann)
    [stored] = await ApiKey.all().values()
    assert made.text not in str(stored)
    assert made.text[7:-4] not in str(stored)
    assert made.text not in repr(made)


async def test_a_key_costs_two_statements_and_a_mistyped_one_none(
    accounts: Accounts, keys: ApiKeys, ann: Viewer
) -> None:
    made = await make_key(keys, ann)
    with recorded_sql() as statements:
        assert await accounts.authenticate(made.text) is not None
    assert len(statements) == 2
    with recorded_sql() as statements:
        for text in (made.text[:-1], made.text.swapcase(), "wk_", "wk_\x00", "wk_" + "0" * 10_000):
            assert await accounts.authenticate(text) is None
    assert statements == []


async def test_a_key_ends_at_its_end(accounts: Accounts, keys: ApiKeys, ann: Viewer, clock: MovableClock) -> None:
    at = clock.instant + timedelta(hours=1)
    for options, seconds in (({"expires_at": at}, 3600), ({"expires_in_days": 2}, 2 * DAY), ({}, 90 * DAY)):
        made = await make_key(keys, ann, **options)
        clock.advance(seconds - 1)
        assert await accounts.authenticate(made.text) is not None
        clock.advance(1)
        assert await accounts.authenticate(made.text) is None


async def test_a_revoked_key_is_good_no_more_and_its_sockets_are_told(
    accounts: Accounts, keys: ApiKeys, ann: Viewer, revoked: list[str], clock: MovableClock
) -> None:
    made, other = await make_key(keys, ann), await make_key(keys, ann)
    first = await keys.revoke(ann.user.id, made.row.id)
    clock.advance(5)
    again = await keys.revoke(ann.user.id, made.row.id)
    assert first.revoked_at == again.revoked_at == clock.instant - timedelta(seconds=5)
    assert set(revoked) == {made.row.id}
    assert await accounts.authenticate(made.text) is None
    assert await accounts.authenticate(other.text) is not None


async def test_somebody_elses_key_does_not_exist(
    accounts: Accounts, keys: ApiKeys, ann: Viewer, revoked: list[str]
) -> None:
    eve = await viewer_of(accounts, await accounts.signup("eve@example.com", PASSWORD, None))
    made = await make_key(keys, ann)
    messages = set()
    for key_id in (made.row.id, new_id(IdPrefix.API_KEY), ann.session_id, "\x00", ""):
        with pytest.raises(NotFound) as caught:
            await keys.revoke(eve.user.id, key_id)
        messages.add(caught.value.message)
    assert (len(messages), revoked) == (1, [])
    assert await keys.owned(eve.user.id, [made.row.id]) == {}
    assert await accounts.authenticate(made.text) is not None


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"name": "  "}, "name"),
    ({"name": "x" * 101}, "name"),
    ({"name": "\x00"}, "name"),
    ({"scopes": []}, "scopes"),
    ({"scopes": [ApiKeyScope.READ, ApiKeyScope.ADMIN]}, "scopes"),
    ({"expires_in_days": 0}, "expiresInDays"),
    ({"expires_in_days": -1}, "expiresInDays"),
    ({"expires_in_days": 3651}, "expiresInDays"),
    ({"expires_in_days": 2**70}, "expiresInDays"),
    ({"expires_at": timedelta(0)}, "expiresAt"),
    ({"expires_at": timedelta(days=3650, seconds=1)}, "expiresAt"),
    ({"expires_in_days": 1, "expires_at": timedelta(days=1)}, "expiresAt"),
]


async def test_what_is_wrong_with_a_key_is_named_and_none_is_made(
    keys: ApiKeys, ann: Viewer, clock: MovableClock
) -> None:
    for wrong, field in WRONG:
        options: dict[str, Any] = {"name": "ci", "scopes": [ApiKeyScope.READ], **wrong}
        if "expires_at" in options:
            options["expires_at"] += clock.instant
        with pytest.raises(InvalidInput) as caught:
            await keys.create(ann.user.id, ann.session_id, options.pop("name"), options.pop("scopes"), **options)
        assert caught.value.path == ("input", field), wrong
    assert await ApiKey.all().count() == 0


async def test_only_an_administrator_has_keys_that_administrate(accounts: Accounts, keys: ApiKeys, ann: Viewer) -> None:
    await User.filter(id=ann.user.id).update(role=Role.ADMIN)
    with_scope = await accounts.authenticate((await make_key(keys, ann, *ALL_SCOPES)).text)
    without = await accounts.authenticate((await make_key(keys, ann, ApiKeyScope.GENERATE)).text)
    assert with_scope is not None
    assert without is not None
    assert (with_scope.is_admin, without.is_admin) == (True, False)
    assert without.user.role is Role.ADMIN
    await User.filter(id=ann.user.id).update(role=Role.USER)
    again = await accounts.authenticate((await make_key(keys, ann)).text)
    assert again is not None
    assert not again.is_admin


async def test_a_user_has_a_bounded_number_of_keys_also_when_asking_at_once(
    keys: ApiKeys, ann: Viewer, clock: MovableClock
) -> None:
    for _ in range(MAX_KEYS - 2):
        await make_key(keys, ann, expires_in_days=1)
    asked = await asyncio.gather(*(make_key(keys, ann, expires_in_days=1) for _ in range(6)), return_exceptions=True)
    refused = [outcome for outcome in asked if isinstance(outcome, DomainError)]
    assert [type(outcome) for outcome in refused] == [Conflict] * 4
    clock.advance(2 * DAY)
    await make_key(keys, ann)


async def test_keys_that_are_over_do_not_pile_up(keys: ApiKeys, ann: Viewer, clock: MovableClock) -> None:
    kept = await make_key(keys, ann)
    for _ in range(2 * MAX_KEYS):
        clock.advance(1)
        await keys.revoke(ann.user.id, (await make_key(keys, ann)).row.id)
    rows, count = await keys.page(ann.user.id, PageRequest(first=100))
    assert await count() == len(rows.items) <= MAX_KEYS + 2
    assert kept.row.id in [row.id for row in rows.items]


async def test_whoever_is_being_shut_out_leaves_no_key_behind(
    accounts: Accounts, keys: ApiKeys, ann: Viewer, clock: MovableClock
) -> None:
    await Session.filter(id=ann.session_id).update(revoked_at=clock.instant)
    with pytest.raises(Unauthenticated):
        await make_key(keys, ann)
    back = await viewer_of(accounts, await accounts.login("ann@example.com", PASSWORD))
    await User.filter(id=ann.user.id).update(disabled_at=clock.instant)
    with pytest.raises(Unauthenticated):
        await make_key(keys, back)
    assert await ApiKey.all().count() == 0


async def test_the_keys_of_a_disabled_user_open_nothing(
    accounts: Accounts, keys: ApiKeys, ann: Viewer, clock: MovableClock
) -> None:
    made = await make_key(keys, ann)
    await User.filter(id=ann.user.id).update(disabled_at=clock.instant)
    assert await accounts.authenticate(made.text) is None


async def test_an_account_that_becomes_an_administrators_loses_its_keys(
    accounts: Accounts, keys: ApiKeys, ann: Viewer, revoked: list[str]
) -> None:
    made = await make_key(keys, ann)
    await accounts.create_admin("ann@example.com", "another password")
    assert await accounts.authenticate(made.text) is None
    assert set(revoked) == {made.row.id, ann.session_id}


async def test_keys_are_listed_page_by_page_newest_first(keys: ApiKeys, ann: Viewer, clock: MovableClock) -> None:
    made = []
    for _ in range(5):
        clock.advance(1)
        made.append((await make_key(keys, ann)).row.id)
    first, count = await keys.page(ann.user.id, PageRequest(first=3))
    rest, _ = await keys.page(ann.user.id, PageRequest(first=3, after=first.cursors[-1]))
    assert [row.id for row in (*first.items, *rest.items)] == made[::-1]
    assert await count() == 5


async def test_rows_of_keys_go_a_while_after_their_end(keys: ApiKeys, ann: Viewer, clock: MovableClock) -> None:
    await make_key(keys, ann, expires_in_days=1)
    kept = await make_key(keys, ann, expires_in_days=3)
    clock.advance((KEPT_DAYS + 1) * DAY)
    assert await keys.forget_expired() == 1
    assert [row.id for row in await ApiKey.all()] == [kept.row.id]
