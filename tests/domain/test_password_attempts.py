"""Guessing passwords: ever more slowly, and never so that the owner is kept out."""

import asyncio
from collections.abc import Awaitable, Callable

import bcrypt
import pytest

from domain.account_control import AccountControl
from domain.accounts import Accounts, SignedIn
from domain.errors import DomainError, InvalidCredentials, RateLimited
from domain.models.accounts import PasswordAttempts as Row
from domain.password_attempts import (
    FROM_ANYWHERE,
    FROM_ONE_ADDRESS,
    IN_A_SESSION,
    KNOWN_DAYS,
    PasswordAttempts,
    network_of,
)
from domain.passwords import PasswordHasher
from tests.conftest import MovableClock
from tests.helpers.room import Room

EMAIL, PASSWORD = "ann@example.com", "correct horse 🐴"
HOME, ELSEWHERE = "192.0.2.1", "198.51.100.7"
DAY = 86_400


@pytest.fixture
async def ann(accounts: Accounts) -> SignedIn:
    return await accounts.signup(EMAIL, PASSWORD, None, HOME)


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What bcrypt was asked to compare with."""
    runs: list[bytes] = []
    real = bcrypt.checkpw

    def counted(secret: bytes, digest: bytes) -> bool:
        runs.append(digest)
        return real(secret, digest)

    monkeypatch.setattr(bcrypt, "checkpw", counted)
    return runs


async def failure_of(attempt: Awaitable[object]) -> DomainError:
    with pytest.raises(DomainError) as caught:
        await attempt
    return caught.value


async def guess(accounts: Accounts, address: str, email: str = EMAIL, times: int = 1) -> list[DomainError]:
    return [await failure_of(accounts.login(email, "a guess", address)) for _ in range(times)]


async def test_guesses_from_one_address_slow_down(accounts: Accounts, ann: SignedIn, clock: MovableClock) -> None:
    free = await guess(accounts, ELSEWHERE, times=FROM_ONE_ADDRESS.free)
    assert {type(failure) for failure in free} == {InvalidCredentials}
    waits = []
    for _ in range(14):
        [refused] = await guess(accounts, ELSEWHERE)
        assert isinstance(refused, RateLimited)
        waits.append(refused.retry_after_seconds or 0)
        assert refused.message == f"Too many wrong passwords. Try again in {waits[-1]} s."
        clock.advance(waits[-1])
        [wrong] = await guess(accounts, ELSEWHERE)
        assert isinstance(wrong, InvalidCredentials)
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900]


async def test_while_one_waits_even_the_right_password_is_not_looked_at(
    accounts: Accounts, ann: SignedIn, hashed: list[bytes], clock: MovableClock
) -> None:
    await guess(accounts, ELSEWHERE, times=FROM_ONE_ADDRESS.free)
    hashed.clear()
    assert isinstance(await failure_of(accounts.login(EMAIL, PASSWORD, ELSEWHERE)), RateLimited)
    assert hashed == []
    clock.advance(1)
    await accounts.login(EMAIL, PASSWORD, ELSEWHERE)


async def test_guessing_elsewhere_never_keeps_the_owner_out_at_home(
    accounts: Accounts, ann: SignedIn, clock: MovableClock
) -> None:
    for number in range(30):
        await guess(accounts, f"203.0.113.{number}", times=FROM_ONE_ADDRESS.free)
    [refused] = await guess(accounts, ELSEWHERE)
    assert isinstance(refused, RateLimited)
    for _ in range(3):
        await accounts.login(EMAIL, PASSWORD, HOME)
    clock.advance((KNOWN_DAYS - 1) * DAY)
    await accounts.login(EMAIL, PASSWORD, HOME)


async def test_a_crowd_slows_down_together_wherever_it_comes_from(
    accounts: Accounts, ann: SignedIn, clock: MovableClock
) -> None:
    seen = [
        failure for number in range(FROM_ANYWHERE.free + 20) for failure in await guess(accounts, f"10.0.0.{number}")
    ]
    kinds = [type(failure) for failure in seen]
    assert kinds == [InvalidCredentials] * FROM_ANYWHERE.free + [RateLimited] * 20
    waits = []
    for number in range(10):
        clock.advance(seen[-1].retry_after_seconds or 0)
        await guess(accounts, f"10.0.1.{number}")
        seen += await guess(accounts, f"10.0.2.{number}")
        waits.append(seen[-1].retry_after_seconds)
    assert waits == [2, 4, 8, 16, 32, 60, 60, 60, 60, 60]


async def test_an_address_is_known_after_a_log_in_from_there_and_for_a_time(
    accounts: Accounts, ann: SignedIn, clock: MovableClock
) -> None:
    await accounts.login(EMAIL, PASSWORD, ELSEWHERE)
    for number in range(FROM_ANYWHERE.free):
        await guess(accounts, f"10.0.0.{number}")
    await accounts.login(EMAIL, PASSWORD, ELSEWHERE)
    assert isinstance(await failure_of(accounts.login(EMAIL, PASSWORD, "192.0.2.99")), RateLimited)
    clock.advance(KNOWN_DAYS * DAY)
    for number in range(FROM_ANYWHERE.free):
        await guess(accounts, f"10.0.0.{number}")
    assert isinstance(await failure_of(accounts.login(EMAIL, PASSWORD, ELSEWHERE)), RateLimited)


async def test_whether_there_is_such_an_account_makes_no_difference(
    accounts: Accounts, ann: SignedIn, hashed: list[bytes], clock: MovableClock
) -> None:
    outcomes = []
    for email in (EMAIL, "nobody@example.com", "no address", "\ud800", "x" * 10_000):
        hashed.clear()
        told: list[object] = []
        for _ in range(3):
            failures = await guess(accounts, ELSEWHERE, email, times=FROM_ONE_ADDRESS.free // 2 + 1)
            told += [(failed.code, failed.message, failed.path, failed.retry_after_seconds) for failed in failures]
        outcomes.append((told, len(hashed)))
    assert outcomes == outcomes[:1] * 5
    assert outcomes[0][1] == FROM_ONE_ADDRESS.free


async def test_many_guesses_at_once_get_no_further_than_one_after_the_other(
    accounts: Accounts, ann: SignedIn, hashed: list[bytes]
) -> None:
    hashed.clear()
    tries = [accounts.login(EMAIL, f"guess {number}", ELSEWHERE) for number in range(4 * FROM_ONE_ADDRESS.free)]
    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    wrong = [outcome for outcome in outcomes if isinstance(outcome, InvalidCredentials)]
    assert len(wrong) == len(hashed) == FROM_ONE_ADDRESS.free
    assert all(isinstance(outcome, DomainError) for outcome in outcomes)


async def test_a_right_password_begins_anew_here_and_wipes_out_nothing_elsewhere(
    accounts: Accounts, ann: SignedIn
) -> None:
    for _ in range(3):
        await guess(accounts, HOME, times=FROM_ONE_ADDRESS.free - 1)
        await accounts.login(EMAIL, PASSWORD, HOME)
    for number in range(FROM_ANYWHERE.free - 2):
        await guess(accounts, f"10.0.0.{number}")
    for number in range(5):
        await accounts.login(EMAIL, PASSWORD, f"10.1.0.{number}")
    assert isinstance((await guess(accounts, "10.2.0.1"))[0], InvalidCredentials)
    assert isinstance((await guess(accounts, "10.2.0.2"))[0], InvalidCredentials)
    assert isinstance((await guess(accounts, "10.2.0.3"))[0], RateLimited)


async def test_after_a_while_without_guesses_it_begins_anew(
    accounts: Accounts, ann: SignedIn, clock: MovableClock
) -> None:
    for address in (HOME, ELSEWHERE):
        await guess(accounts, address, times=FROM_ONE_ADDRESS.free)
        clock.advance(FROM_ONE_ADDRESS.forgotten_seconds)
        outcomes = await guess(accounts, address, times=FROM_ONE_ADDRESS.free)
        assert {type(outcome) for outcome in outcomes} == {InvalidCredentials}


async def test_another_process_counts_on_and_a_restart_forgets_nothing(
    accounts_with: Callable[..., Accounts], ann: SignedIn
) -> None:
    await guess(accounts_with(), ELSEWHERE, times=FROM_ONE_ADDRESS.free)
    assert isinstance((await guess(accounts_with(), ELSEWHERE))[0], RateLimited)


async def test_whoever_took_over_a_session_guesses_its_password_slowly_too(
    room: Room, accounts: Accounts, ann: SignedIn, hasher: PasswordHasher, clock: MovableClock
) -> None:
    viewer = await accounts.authenticate(ann.access_token)
    assert viewer is not None
    control = AccountControl(room.deps, hasher, lambda _id: None)
    for _ in range(IN_A_SESSION.free // 2):
        assert isinstance(await failure_of(accounts.change_password(viewer, "a guess", PASSWORD)), InvalidCredentials)
        assert isinstance(await failure_of(control.delete_own(viewer, "a guess")), InvalidCredentials)
    for attempt in (accounts.change_password(viewer, PASSWORD, "another one"), control.delete_own(viewer, PASSWORD)):
        refused = await failure_of(attempt)
        assert isinstance(refused, RateLimited)
        assert refused.retry_after_seconds == 1
    # Elsewhere, and in a session of their own, the owner is not slowed down.
    own = await accounts.authenticate((await accounts.login(EMAIL, PASSWORD, HOME)).access_token)
    assert own is not None
    await accounts.change_password(own, PASSWORD, "another one")


async def test_rows_are_forgotten_and_name_nobody(accounts: Accounts, ann: SignedIn, clock: MovableClock) -> None:
    await guess(accounts, ELSEWHERE)
    rows = str(await Row.all().values())
    assert all(text not in rows for text in (EMAIL, HOME, ELSEWHERE, "ann"))
    attempts = PasswordAttempts(clock)
    assert (await Row.all().count(), await attempts.forget_expired()) == (3, 0)
    clock.advance(FROM_ONE_ADDRESS.forgotten_seconds)
    assert await attempts.forget_expired() == 2
    clock.advance(KNOWN_DAYS * DAY)
    assert await attempts.forget_expired() == 1


async def test_there_is_a_limit_to_the_rows(
    accounts: Accounts, ann: SignedIn, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("domain.password_attempts.MAX_ROWS", 4)
    for number in range(9):
        clock.advance(1)
        await guess(accounts, f"10.0.0.{number}")
    assert await PasswordAttempts(clock).forget_expired() == 11 - 4
    # The owner's address is the last to go.
    assert await Row.filter(known_until__isnull=False).count() == 1


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("2001:db8::", "2001:0db8:0000:0000:1::", True),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("", "testclient", False),
        ("192.0.2.1", "::192.0.2.1", False),
    ],
)
def test_addresses_of_one_subscriber_are_one(first: str, second: str, *, same: bool) -> None:
    assert (network_of(first) == network_of(second)) is same
