"""Signing up, logging in and out, refreshing, changing passwords."""

from collections.abc import Awaitable, Callable

import bcrypt
import pytest

from domain.accounts import Accounts, SignedIn, Viewer
from domain.errors import DomainError, EmailTaken, InvalidCredentials, InvalidInput, Unauthenticated, WeakPassword
from domain.kinds import Role
from domain.models.accounts import Session, User
from domain.passwords import PasswordHasher
from domain.settings import Settings
from domain.tokens import TokenIssuer
from tests.conftest import MovableClock
from tests.helpers.sql import recorded_sql

MINUTE, DAY = 60, 86_400
EMAIL, PASSWORD = "ann@example.com", "correct horse 🐴"


@pytest.fixture
async def ann(accounts: Accounts) -> SignedIn:
    return await accounts.signup(EMAIL, PASSWORD, "Ann")


async def viewer_of(accounts: Accounts, signed_in: SignedIn) -> Viewer:
    viewer = await accounts.authenticate(signed_in.access_token)
    assert viewer is not None
    return viewer


async def failure_of(attempt: Awaitable[object]) -> DomainError:
    with pytest.raises(DomainError) as caught:
        await attempt
    return caught.value


# ---------------------------------------------------------------- signing up


async def test_signing_up_opens_a_session(accounts: Accounts, clock: MovableClock) -> None:
    signed_in = await accounts.signup(" Ann@Example.COM", PASSWORD, " Ann 🎮 ")
    assert (signed_in.expires_at - clock.instant).total_seconds() == 15 * MINUTE
    viewer = await viewer_of(accounts, signed_in)
    assert (viewer.user.email, viewer.user.display_name, viewer.user.role) == (EMAIL, "Ann 🎮", Role.USER)
    assert viewer.expires_at == signed_in.expires_at
    assert (await User.get(id=viewer.user.id)).created_at == clock.instant
    await accounts.refresh(signed_in.refresh_token)


async def test_without_a_name_the_address_gives_one(accounts: Accounts) -> None:
    for number, name in enumerate([None, "", "  "]):
        signed_in = await accounts.signup(f"小明{number}@example.com", PASSWORD, name)
        assert signed_in.user.display_name == f"小明{number}"


SIGNUPS = [
    ("not an address", PASSWORD, None, InvalidInput, "email"),
    ("b@example.com\x00", PASSWORD, None, InvalidInput, "email"),
    ("b@example.com", "short", None, WeakPassword, "password"),
    ("b@example.com", "🎮" * 19, None, WeakPassword, "password"),
    ("b@example.com", "\ud800" * 8, None, InvalidInput, "password"),
    ("b@example.com", PASSWORD, "x" * 121, InvalidInput, "displayName"),
    ("b@example.com", PASSWORD, "a\x00", InvalidInput, "displayName"),
    ("ANN@example.com ", "another password", None, EmailTaken, "email"),
]


async def test_what_is_wrong_with_a_signup_is_named_and_leaves_nothing(accounts: Accounts, ann: SignedIn) -> None:
    for email, password, name, kind, path in SIGNUPS:
        failure = await failure_of(accounts.signup(email, password, name))
        assert (type(failure), failure.path) == (kind, ("input", path))
    assert (await User.all().count(), await Session.all().count()) == (1, 1)


async def test_a_closed_server_takes_nobody(accounts_with: Callable[..., Accounts]) -> None:
    closed = accounts_with(signups=False)
    assert isinstance(await failure_of(closed.signup(EMAIL, PASSWORD, None)), InvalidInput)
    await closed.create_admin(EMAIL, PASSWORD)
    await closed.login(EMAIL, PASSWORD)


# ---------------------------------------------------------------- logging in


async def test_logging_in_works_in_every_spelling_of_the_address(accounts: Accounts, ann: SignedIn) -> None:
    again = await accounts.login(" ANN@EXAMPLE.com", PASSWORD)
    assert again.user.id == ann.user.id
    sessions = {(await viewer_of(accounts, signed_in)).session_id for signed_in in (ann, again)}
    assert len(sessions) == 2


LOGINS = {
    "wrong password": (EMAIL, "wrong password"),
    "empty password": (EMAIL, ""),
    "password of 10 kB": (EMAIL, "x" * 10_000),
    "password of 19 emoji": (EMAIL, "🎮" * 19),
    "password that cannot be encoded": (EMAIL, "\ud800" * 8),
    "prefix of the password": (EMAIL, PASSWORD[:-1]),
    "unknown address": ("nobody@example.com", PASSWORD),
    "no address": ("\x00", PASSWORD),
    "huge address": ("x" * 100_000, PASSWORD),
    "disabled account": ("disabled@example.com", PASSWORD),
    "damaged hash": ("damaged@example.com", PASSWORD),
}


async def test_every_wrong_login_costs_and_says_the_same(
    accounts: Accounts, ann: SignedIn, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    disabled = await accounts.signup("disabled@example.com", PASSWORD, None)
    await User.filter(id=disabled.user.id).update(disabled_at=clock.instant)
    damaged = await accounts.signup("damaged@example.com", PASSWORD, None)
    await User.filter(id=damaged.user.id).update(password_hash="!")
    runs: list[bytes] = []

    def counted(secret: bytes, digest: bytes) -> bool:
        runs.append(digest[:7])
        return real(secret, digest)

    real = bcrypt.checkpw
    monkeypatch.setattr(bcrypt, "checkpw", counted)
    outcomes = {}
    for case, (email, password) in LOGINS.items():
        failure = await failure_of(accounts.login(email, password))
        outcomes[case] = (type(failure), failure.message, failure.path, tuple(runs))
        runs.clear()
    assert outcomes == dict.fromkeys(LOGINS, (InvalidCredentials, InvalidCredentials().message, None, (b"$2b$04$",)))
    assert await Session.all().count() == 3


# ---------------------------------------------------------------- refreshing


async def test_refreshing_goes_on_and_on_within_one_session(accounts: Accounts, clock: MovableClock) -> None:
    signed_in = await accounts.signup(EMAIL, PASSWORD, None)
    session_id = (await viewer_of(accounts, signed_in)).session_id
    for _ in range(4):
        clock.advance(29 * DAY)
        assert await accounts.authenticate(signed_in.access_token) is None
        with recorded_sql() as statements:
            signed_in = await accounts.refresh(signed_in.refresh_token)
        assert len(statements) == 2
        assert (await viewer_of(accounts, signed_in)).session_id == session_id
    assert await Session.all().count() == 1


async def test_a_replayed_token_ends_the_whole_family(accounts: Accounts, ann: SignedIn, revoked: list[str]) -> None:
    other = await accounts.login(EMAIL, PASSWORD)
    newer = await accounts.refresh(ann.refresh_token)
    newest = await accounts.refresh(newer.refresh_token)
    session_id = (await viewer_of(accounts, newest)).session_id
    assert revoked == []
    replay = await failure_of(accounts.refresh(ann.refresh_token))
    assert revoked == [session_id]
    for signed_in in (ann, newer, newest):
        assert await accounts.authenticate(signed_in.access_token) is None
        late = await failure_of(accounts.refresh(signed_in.refresh_token))
        assert (type(late), late.message) == (type(replay), replay.message) == (InvalidCredentials, replay.message)
    assert revoked == [session_id]
    await viewer_of(accounts, await accounts.refresh(other.refresh_token))


async def test_every_wrong_refresh_token_says_the_same(
    accounts: Accounts, ann: SignedIn, clock: MovableClock, tokens: TokenIssuer
) -> None:
    session_id = (await viewer_of(accounts, ann)).session_id
    other = TokenIssuer(b"o" * 32, clock, access_seconds=60, refresh_seconds=60)
    wrong = [
        "",
        "\ud800",
        ann.access_token,
        ann.refresh_token + "x",
        other.refresh(ann.user.id, session_id, "tok_1")[0],
        tokens.refresh(ann.user.id, "ses_1", "tok_1")[0],
        tokens.refresh("usr_1", session_id, "tok_1")[0],
    ]
    failures = [await failure_of(accounts.refresh(token)) for token in wrong]
    await accounts.refresh(ann.refresh_token)
    clock.advance(30 * DAY)
    failures.append(await failure_of(accounts.refresh(ann.refresh_token)))
    assert {(type(failure), failure.message, failure.path) for failure in failures} == {
        (InvalidCredentials, failures[0].message, None)
    }


async def test_a_disabled_account_does_nothing_more(
    accounts: Accounts, ann: SignedIn, clock: MovableClock, revoked: list[str]
) -> None:
    viewer = await viewer_of(accounts, ann)
    await User.filter(id=ann.user.id).update(disabled_at=clock.instant)
    assert await accounts.authenticate(ann.access_token) is None
    await failure_of(accounts.refresh(ann.refresh_token))
    assert revoked == [viewer.session_id]
    assert isinstance(await failure_of(accounts.change_password(viewer, PASSWORD, "battery staple")), DomainError)


# ---------------------------------------------------------------- ending


async def test_logging_out_ends_this_session_and_no_other(
    accounts: Accounts, ann: SignedIn, revoked: list[str]
) -> None:
    other = await accounts.login(EMAIL, PASSWORD)
    viewer = await viewer_of(accounts, ann)
    await accounts.logout(viewer)
    await accounts.logout(viewer)
    assert revoked == [viewer.session_id]
    assert await accounts.authenticate(ann.access_token) is None
    await failure_of(accounts.refresh(ann.refresh_token))
    await viewer_of(accounts, other)


async def test_a_new_password_ends_every_session_but_the_one_it_opens(
    accounts: Accounts, ann: SignedIn, revoked: list[str]
) -> None:
    other = await accounts.login(EMAIL, PASSWORD)
    stranger = await accounts.signup("bob@example.com", PASSWORD, None)
    viewers = [await viewer_of(accounts, signed_in) for signed_in in (ann, other)]
    changed = await accounts.change_password(viewers[0], PASSWORD, "🔑🚪🏠" * 6)
    assert sorted(revoked) == sorted(viewer.session_id for viewer in viewers)
    for old in (ann, other):
        assert await accounts.authenticate(old.access_token) is None
        await failure_of(accounts.refresh(old.refresh_token))
    await viewer_of(accounts, changed)
    await viewer_of(accounts, await accounts.refresh(changed.refresh_token))
    await viewer_of(accounts, stranger)
    await failure_of(accounts.login(EMAIL, PASSWORD))
    await accounts.login(EMAIL, "🔑🚪🏠" * 6)


async def test_log_ins_without_end_keep_the_newest_sessions_only(
    accounts: Accounts, ann: SignedIn, revoked: list[str], clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("domain.sessions.MAX_SESSIONS", 3)
    stranger = await accounts.signup("bob@example.com", PASSWORD, None)
    others = []
    for _ in range(4):
        clock.advance(1)
        others.append(await accounts.login(EMAIL, PASSWORD))
    for ended in (ann, others[0]):
        assert await accounts.authenticate(ended.access_token) is None
        await failure_of(accounts.refresh(ended.refresh_token))
    for kept in (*others[1:], stranger):
        await viewer_of(accounts, kept)
    assert len(revoked) == len(set(revoked)) == 2


CHANGES = [
    ("wrong password", "battery staple", InvalidCredentials, "currentPassword"),
    ("x" * 100, "battery staple", InvalidCredentials, "currentPassword"),
    (PASSWORD, "short", WeakPassword, "newPassword"),
    (PASSWORD, "🔑" * 19, WeakPassword, "newPassword"),
    (PASSWORD, "a\x00bcdefghi", InvalidInput, "newPassword"),
]


async def test_a_wrong_change_of_password_changes_nothing(
    accounts: Accounts, ann: SignedIn, revoked: list[str]
) -> None:
    viewer = await viewer_of(accounts, ann)
    for current, new, kind, path in CHANGES:
        failure = await failure_of(accounts.change_password(viewer, current, new))
        assert (type(failure), failure.path) == (kind, ("input", path))
    assert revoked == []
    await viewer_of(accounts, ann)
    await accounts.login(EMAIL, PASSWORD)


async def test_a_session_that_has_ended_changes_no_password(accounts: Accounts, ann: SignedIn) -> None:
    other = await accounts.login(EMAIL, PASSWORD)
    viewer = await viewer_of(accounts, ann)
    await accounts.logout(viewer)
    failure = await failure_of(accounts.change_password(viewer, PASSWORD, "battery staple"))
    assert type(failure) is Unauthenticated
    await viewer_of(accounts, other)
    await accounts.login(EMAIL, PASSWORD)


# ---------------------------------------------------------------- who asks


async def test_finding_out_who_asks_takes_two_statements(accounts: Accounts, ann: SignedIn) -> None:
    with recorded_sql() as statements:
        await viewer_of(accounts, ann)
    assert len(statements) == 2
    with recorded_sql() as statements:
        assert await accounts.authenticate("rubbish") is None
    assert statements == []


async def test_nobody_asks_with_a_token_that_is_wrong(
    accounts: Accounts, ann: SignedIn, clock: MovableClock, tokens: TokenIssuer
) -> None:
    session_id = (await viewer_of(accounts, ann)).session_id
    bob = await accounts.signup("bob@example.com", PASSWORD, None)
    wrong = [
        "",
        ann.refresh_token,
        ann.access_token[:-2],
        tokens.access(bob.user.id, session_id)[0],
        tokens.access(ann.user.id, "ses_1")[0],
    ]
    assert [await accounts.authenticate(token) for token in wrong] == [None] * len(wrong)
    clock.advance(15 * MINUTE)
    assert await accounts.authenticate(ann.access_token) is None


async def test_nobody_is_sure_of_themselves_for_longer_than_their_session(
    accounts: Accounts, ann: SignedIn, clock: MovableClock
) -> None:
    session_id = (await viewer_of(accounts, ann)).session_id
    ends = clock.instant.replace(minute=5)
    await Session.filter(id=session_id).update(expires_at=ends)
    assert (await viewer_of(accounts, ann)).expires_at == ends
    clock.advance(5 * MINUTE)
    assert await accounts.authenticate(ann.access_token) is None


async def test_a_user_is_found_by_id(accounts: Accounts, ann: SignedIn) -> None:
    found = await accounts.user(ann.user.id)
    assert found is not None
    assert found.email == EMAIL
    for unknown in (ann.user.id[:-1] + "\x00", "", "\ud800", "usr_" + "0" * 26):
        assert await accounts.user(unknown) is None


async def test_sessions_whose_time_is_over_are_forgotten(
    accounts: Accounts, ann: SignedIn, clock: MovableClock
) -> None:
    clock.advance(DAY)
    later = await accounts.login(EMAIL, PASSWORD)
    clock.advance(29 * DAY)
    assert await accounts.forget_expired() == 1
    assert await accounts.forget_expired() == 0
    await accounts.refresh(later.refresh_token)


# ---------------------------------------------------------------- administrators


async def test_an_administrator_is_made(accounts: Accounts) -> None:
    user = await accounts.create_admin("Root@Example.com", PASSWORD)
    assert (user.email, user.role) == ("root@example.com", Role.ADMIN)
    assert (await accounts.login("root@example.com", PASSWORD)).user.role is Role.ADMIN


async def test_whoever_took_the_administrators_address_before_is_locked_out(
    accounts: Accounts, ann: SignedIn, clock: MovableClock, revoked: list[str]
) -> None:
    session_id = (await viewer_of(accounts, ann)).session_id
    await User.filter(id=ann.user.id).update(disabled_at=clock.instant)
    user = await accounts.create_admin(EMAIL, "chosen by the operator")
    assert (user.id, user.role) == (ann.user.id, Role.ADMIN)
    assert revoked == [session_id]
    assert await accounts.authenticate(ann.access_token) is None
    await failure_of(accounts.login(EMAIL, PASSWORD))
    assert (await accounts.login(EMAIL, "chosen by the operator")).user.role is Role.ADMIN


async def test_an_administrator_is_made_by_the_same_rules(accounts: Accounts) -> None:
    for email, password, kind in [("nonsense", PASSWORD, InvalidInput), ("root@example.com", "short", WeakPassword)]:
        assert type(await failure_of(accounts.create_admin(email, password))) is kind
    assert await User.all().count() == 0


# ---------------------------------------------------------------- secrets


async def test_nothing_that_is_printed_holds_a_secret(
    accounts: Accounts, ann: SignedIn, hasher: PasswordHasher, settings: Settings
) -> None:
    user = await User.get(id=ann.user.id)
    shown = " ".join(map(repr, [ann, user, await viewer_of(accounts, ann), accounts, hasher]))
    for secret in (ann.access_token, ann.refresh_token, user.password_hash, PASSWORD):
        assert secret not in shown
    assert settings.bcrypt_cost == 4
    assert user.password_hash.startswith("$2b$04$")
