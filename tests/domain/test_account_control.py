"""Accounts that end: deleted by their owner or an administrator, or disabled."""

import asyncio
from collections.abc import Awaitable

import pytest

from domain.account_control import AccountControl
from domain.accounts import Accounts, SignedIn, Viewer
from domain.api_keys import ApiKeys
from domain.errors import Conflict, DomainError, Forbidden, InvalidCredentials, NotFound, Unauthenticated
from domain.figures.counters import ended_counts, mend_counts, wrong_counts
from domain.figures.folding import fold
from domain.figures.removal import forget_figures_of_nobody
from domain.ids import IdPrefix, new_id
from domain.kinds import Role
from domain.lifecycle import TaskStatus
from domain.models.accounts import User
from domain.models.operations import AuditEntry
from domain.models.storage import StorageDeletion
from domain.models.tasks import Task
from domain.passwords import PasswordHasher
from domain.projects import Projects
from domain.tasks.deletion import purge_rows
from domain.webhooks.removal import purge_webhooks
from tests.conftest import MovableClock
from tests.helpers.history import finish
from tests.helpers.keys import make_key
from tests.helpers.room import Room
from tests.helpers.traces import tables_that_mention
from tests.helpers.webhooks import make_webhook

PASSWORD = "correct horse 🐴"


@pytest.fixture
def control(room: Room, hasher: PasswordHasher, revoked: list[str]) -> AccountControl:
    return AccountControl(room.deps, hasher, revoked.append)


@pytest.fixture
async def ada(room: Room, accounts: Accounts, hasher: PasswordHasher) -> Viewer:
    """The room's user, logged in."""
    await User.filter(id=room.user.id).update(password_hash=await hasher.hash(PASSWORD))
    return await viewer_of(accounts, await accounts.login(room.user.email, PASSWORD))


@pytest.fixture
async def admin(accounts: Accounts) -> User:
    return await accounts.create_admin("root@example.com", PASSWORD)


async def viewer_of(accounts: Accounts, signed_in: SignedIn) -> Viewer:
    viewer = await accounts.authenticate(signed_in.access_token)
    assert viewer is not None
    return viewer


async def refusal_of(attempt: Awaitable[object]) -> type[DomainError]:
    with pytest.raises(DomainError) as caught:
        await attempt
    return type(caught.value)


async def everything(room: Room, accounts: Accounts, clock: MovableClock, ada: Viewer) -> tuple[list[str], str]:
    """Give the user one of each; returns the ids of what vouches for them, and an API key."""
    await finish(room, await room.submit("done", idempotency_key="k"))
    await mend_counts()  # the helper writes rows, and no journal
    running = await room.submit("running")
    await Task.filter(id=running.id).update(status=TaskStatus.RUNNING, owner_token="wrk_x")
    await room.submit("waiting", depends_on=(running.id,))
    await make_webhook(room)
    key = await make_key(ApiKeys(clock, lambda _id: None), ada)
    second = await viewer_of(accounts, await accounts.login(room.user.email, PASSWORD))
    return [ada.session_id, second.session_id, key.row.id], key.text


async def test_deleting_an_account_ends_everything_in_one_step(
    room: Room, accounts: Accounts, control: AccountControl, ada: Viewer, clock: MovableClock, revoked: list[str]
) -> None:
    ids, key = await everything(room, accounts, clock, ada)
    again = await accounts.login(room.user.email, PASSWORD)
    await control.delete_own(ada, PASSWORD)
    assert set(ids) < set(revoked)
    assert await accounts.authenticate(again.access_token) is None
    assert await accounts.authenticate(key) is None
    assert await refusal_of(accounts.refresh(again.refresh_token)) is InvalidCredentials
    assert await refusal_of(accounts.login(room.user.email, PASSWORD)) is InvalidCredentials
    statuses = await Task.filter(project_id=room.project.id).values_list("user_id", "status")
    assert sorted(statuses) == [
        (None, TaskStatus.CANCELLED),
        (None, TaskStatus.CANCELLED),
        (None, TaskStatus.COMPLETED),
    ]
    assert f"users/{room.user.id}/" in [row.target for row in await StorageDeletion.all()]


async def test_no_row_is_left_of_a_deleted_account(
    room: Room, accounts: Accounts, control: AccountControl, ada: Viewer, clock: MovableClock
) -> None:
    await everything(room, accounts, clock, ada)
    kept = await room.submit("kept", user=room.stranger)
    mine = (room.user.id, room.user.email, room.project.id)
    assert len(await tables_that_mention(*mine)) > 8
    await control.delete_own(ada, PASSWORD)
    clock.advance(10)
    await purge_rows(clock.now())
    await purge_webhooks()
    assert await wrong_counts() == []
    await fold()
    await forget_figures_of_nobody()
    # The outbox has yet to remove the files, and then goes as well.
    assert await tables_that_mention(*mine) == {"storage_deletion"}
    assert await wrong_counts() == []
    assert (await ended_counts(None))[TaskStatus.COMPLETED] == 0
    assert (await Task.get(id=kept.id)).user_id == room.stranger.id


async def test_the_address_is_free_again(accounts: Accounts, control: AccountControl, ada: Viewer, room: Room) -> None:
    await control.delete_own(ada, PASSWORD)
    fresh = await accounts.signup(room.user.email, "another password", None)
    assert fresh.user.id != room.user.id


async def test_the_password_must_be_right(
    accounts: Accounts, control: AccountControl, ada: Viewer, revoked: list[str]
) -> None:
    for password in ("", "wrong", PASSWORD[:-1], "🎮" * 30, "\ud800", "\x00"):
        assert await refusal_of(control.delete_own(ada, password)) is InvalidCredentials
    assert revoked == []
    assert await User.filter(id=ada.user.id).exists()


async def test_of_a_deletion_and_a_change_of_the_password_one_comes_first(
    accounts: Accounts, control: AccountControl, ada: Viewer
) -> None:
    outcomes = await asyncio.gather(
        control.delete_own(ada, PASSWORD),
        accounts.change_password(ada, PASSWORD, "another password"),
        return_exceptions=True,
    )
    assert [isinstance(outcome, DomainError) for outcome in outcomes].count(True) == 1
    assert await User.filter(id=ada.user.id).exists() is isinstance(outcomes[0], DomainError)


async def test_what_begins_while_an_account_is_deleted_leaves_nothing_behind(
    room: Room, accounts: Accounts, control: AccountControl, ada: Viewer, clock: MovableClock
) -> None:
    projects = Projects(clock)
    work = [room.submit(f"t{number}") for number in range(3)]
    work += [projects.create(room.user.id, f"p{number}", None, None) for number in range(3)]  # type: ignore[misc]
    work += [accounts.login(room.user.email, PASSWORD) for _ in range(3)]  # type: ignore[misc]
    await asyncio.gather(control.delete_own(ada, PASSWORD), *work, return_exceptions=True)
    clock.advance(10)
    await purge_rows(clock.now())
    assert await wrong_counts() == []
    await fold()
    await forget_figures_of_nobody()
    assert await tables_that_mention(room.user.id) == {"storage_deletion"}


async def test_nothing_is_begun_for_an_account_that_is_gone(
    room: Room, control: AccountControl, ada: Viewer, clock: MovableClock
) -> None:
    await control.delete_own(ada, PASSWORD)
    assert await refusal_of(Projects(clock).create(room.user.id, "late", None, None)) is Unauthenticated
    assert await refusal_of(room.submit("late")) is NotFound


async def test_a_server_keeps_an_administrator_while_it_has_other_accounts(
    accounts: Accounts, control: AccountControl, room: Room, admin: User
) -> None:
    viewer = await viewer_of(accounts, await accounts.login(admin.email, PASSWORD))
    assert await refusal_of(control.delete_own(viewer, PASSWORD)) is Conflict
    for user in (room.user, room.stranger):
        await control.delete(admin, user.id)
    await control.delete_own(viewer, PASSWORD)
    assert await User.all().count() == 0


async def test_of_two_administrators_who_leave_at_once_one_stays(
    accounts: Accounts, control: AccountControl, room: Room, admin: User
) -> None:
    second = await accounts.create_admin("second@example.com", PASSWORD)
    viewers = [await viewer_of(accounts, await accounts.login(user.email, PASSWORD)) for user in (admin, second)]
    outcomes = await asyncio.gather(*(control.delete_own(v, PASSWORD) for v in viewers), return_exceptions=True)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Conflict", "NoneType"]
    assert await User.filter(role=Role.ADMIN).count() == 1


async def test_of_two_administrators_who_shut_each_other_out_one_stays(
    accounts: Accounts, control: AccountControl, admin: User
) -> None:
    second = await accounts.create_admin("second@example.com", PASSWORD)
    outcomes = await asyncio.gather(
        control.set_disabled(admin, second.id, disabled=True),
        control.delete(second, admin.id),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes].count(Forbidden) == 1
    assert await User.filter(role=Role.ADMIN, disabled_at__isnull=True).count() == 1


async def test_a_disabled_user_is_out_at_once_and_keeps_what_they_have(
    room: Room, accounts: Accounts, control: AccountControl, ada: Viewer, admin: User, clock: MovableClock
) -> None:
    ids, key = await everything(room, accounts, clock, ada)
    told: list[str] = []
    control._on_revoked = told.append
    signed_in = await accounts.login(room.user.email, PASSWORD)
    disabled = await control.set_disabled(admin, room.user.id, disabled=True)
    assert disabled.disabled_at == clock.instant
    assert set(ids) < set(told)
    assert await accounts.authenticate(signed_in.access_token) is None
    assert await accounts.authenticate(key) is None
    assert await refusal_of(accounts.login(room.user.email, PASSWORD)) is InvalidCredentials
    assert await refusal_of(accounts.refresh(signed_in.refresh_token)) is InvalidCredentials
    await control.set_disabled(admin, room.user.id, disabled=False)
    assert await accounts.authenticate(signed_in.access_token) is None
    assert await accounts.authenticate(key) is None
    back = await viewer_of(accounts, await accounts.login(room.user.email, PASSWORD))
    assert back.user.disabled_at is None
    assert await Task.filter(user_id=room.user.id, status=TaskStatus.PENDING).count() == 1


async def test_what_administrators_do_to_accounts_is_kept(room: Room, control: AccountControl, admin: User) -> None:
    await control.set_disabled(admin, room.user.id, disabled=True)
    await control.set_disabled(admin, room.user.id, disabled=True)
    await control.set_disabled(admin, room.user.id, disabled=False)
    await control.delete(admin, room.user.id)
    done = AuditEntry.exclude(action="createAdmin").order_by("id")
    kept = await done.values_list("user_id", "action", "target", "details")
    who, whom = admin.id, room.user.id
    assert sorted(kept, key=str) == sorted(
        [
            (who, "setUserDisabled", whom, {"disabled": True}),
            (who, "setUserDisabled", whom, {"disabled": False}),
            (who, "deleteUser", whom, {}),
        ],
        key=str,
    )


async def test_administrators_act_on_others_that_there_are(room: Room, control: AccountControl, admin: User) -> None:
    for user_id in (new_id(IdPrefix.USER), room.project.id, "", "\x00"):
        assert await refusal_of(control.delete(admin, user_id)) is NotFound
        assert await refusal_of(control.set_disabled(admin, user_id, disabled=True)) is NotFound
    assert await refusal_of(control.delete(admin, admin.id)) is Conflict
    assert await refusal_of(control.set_disabled(admin, admin.id, disabled=True)) is Conflict
    assert await refusal_of(control.delete(room.user, room.stranger.id)) is Forbidden
    assert await AuditEntry.exclude(action="createAdmin").count() == 0
