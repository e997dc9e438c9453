"""Everything about accounts that happens at the same moment as something else."""

import asyncio
from collections.abc import Callable, Iterator, Sequence

import pytest

from domain.accounts import Accounts, SignedIn
from domain.errors import EmailTaken, InvalidCredentials
from domain.kinds import Role
from domain.models.accounts import Session, User
from domain.passwords import PasswordHasher
from tests.helpers.sql import recorded_sql

EMAIL, PASSWORD = "ann@example.com", "correct horse"


class GatedHasher(PasswordHasher):
    """Compares as ever, then waits at a gate before it tells: what may change meanwhile, does."""

    def __init__(self, cost: int) -> None:
        super().__init__(cost)
        self.compared = asyncio.Event()
        self.gate = asyncio.Event()

    async def verify(self, password: str, password_hash: str | None) -> bool:
        matches = await super().verify(password, password_hash)
        self.compared.set()
        await self.gate.wait()
        return matches


@pytest.fixture
def gated() -> Iterator[GatedHasher]:
    hasher = GatedHasher(4)
    yield hasher
    hasher.close()


@pytest.fixture
async def ann(accounts: Accounts) -> SignedIn:
    return await accounts.signup(EMAIL, PASSWORD, "Ann")


async def alive(accounts: Accounts, results: Sequence[object]) -> list[SignedIn]:
    return [r for r in results if isinstance(r, SignedIn) and await accounts.authenticate(r.access_token) is not None]


async def test_twenty_signups_of_one_address_make_one_account(accounts: Accounts) -> None:
    spellings = (("Ann@example.com", "ANN@EXAMPLE.COM", " ann@example.com")[number % 3] for number in range(20))
    results = await asyncio.gather(*(accounts.signup(s, PASSWORD, None) for s in spellings), return_exceptions=True)
    assert sum(isinstance(result, SignedIn) for result in results) == 1
    assert sum(isinstance(result, EmailTaken) for result in results) == 19
    assert (await User.all().count(), await Session.all().count()) == (1, 1)


async def test_twenty_refreshes_with_one_token_leave_nothing_that_works(
    accounts: Accounts, ann: SignedIn, revoked: list[str]
) -> None:
    results = await asyncio.gather(*(accounts.refresh(ann.refresh_token) for _ in range(20)), return_exceptions=True)
    winners = [result for result in results if isinstance(result, SignedIn)]
    assert len(winners) == 1
    assert sum(isinstance(result, InvalidCredentials) for result in results) == 19
    assert len(revoked) == 1
    assert await alive(accounts, [ann, *winners]) == []
    with pytest.raises(InvalidCredentials):
        await accounts.refresh(winners[0].refresh_token)


async def test_of_two_changes_of_password_one_is_too_late(accounts: Accounts, ann: SignedIn) -> None:
    viewer = await accounts.authenticate(ann.access_token)
    assert viewer is not None
    results = await asyncio.gather(
        *(accounts.change_password(viewer, PASSWORD, f"battery staple {number}") for number in range(6)),
        return_exceptions=True,
    )
    (number,) = (number for number, result in enumerate(results) if isinstance(result, SignedIn))
    assert sum(isinstance(result, InvalidCredentials) for result in results) == 5
    assert len(await alive(accounts, results)) == 1
    await accounts.login(EMAIL, f"battery staple {number}")


async def test_a_login_whose_password_changes_while_it_is_compared_fails(
    accounts: Accounts, accounts_with: Callable[..., Accounts], gated: GatedHasher, ann: SignedIn
) -> None:
    login = asyncio.create_task(accounts_with(hasher=gated).login(EMAIL, PASSWORD))
    await gated.compared.wait()
    viewer = await accounts.authenticate(ann.access_token)
    assert viewer is not None
    await accounts.change_password(viewer, PASSWORD, "battery staple")
    gated.gate.set()
    with pytest.raises(InvalidCredentials):
        await login
    assert await Session.filter(revoked_at__isnull=True).count() == 1


@pytest.mark.parametrize("event", ["disabled", "deleted"])
async def test_a_login_whose_account_ends_while_it_is_compared_fails(
    accounts_with: Callable[..., Accounts], gated: GatedHasher, ann: SignedIn, event: str
) -> None:
    login = asyncio.create_task(accounts_with(hasher=gated).login(EMAIL, PASSWORD))
    await gated.compared.wait()
    if event == "disabled":
        await User.filter(id=ann.user.id).update(disabled_at=ann.expires_at)
    else:
        await User.filter(id=ann.user.id).delete()
    gated.gate.set()
    with pytest.raises(InvalidCredentials):
        await login
    assert await Session.all().count() == 1


async def test_no_session_of_the_old_password_outlives_its_change(accounts: Accounts, ann: SignedIn) -> None:
    """Log-ins and refreshes before, during and after: what the old password opened is dead, whatever the order."""
    for number in range(5):
        old, new = (PASSWORD, "battery staple") if number % 2 == 0 else ("battery staple", PASSWORD)
        current = await accounts.login(EMAIL, old)
        viewer = await accounts.authenticate(current.access_token)
        assert viewer is not None
        stale = [await accounts.login(EMAIL, old) for _ in range(3)]
        *others, changed = await asyncio.gather(
            *(accounts.login(EMAIL, old) for _ in range(4)),
            *(accounts.refresh(signed_in.refresh_token) for signed_in in stale),
            accounts.change_password(viewer, old, new),
            return_exceptions=True,
        )
        assert isinstance(changed, SignedIn)
        assert all(isinstance(result, SignedIn | InvalidCredentials) for result in others)
        assert await alive(accounts, [current, *stale, *others]) == []
        assert await alive(accounts, [changed]) == [changed]


async def test_a_change_of_password_that_is_cancelled_happens_wholly_or_not_at_all(
    accounts: Accounts, ann: SignedIn, revoked: list[str]
) -> None:
    """And when it happened, it was told which sessions ended, so that their sockets are closed."""
    password = PASSWORD
    for trial in range(40):
        signed_in = await accounts.login(EMAIL, password)
        viewer = await accounts.authenticate(signed_in.access_token)
        assert viewer is not None
        new = f"battery staple {trial}"
        with recorded_sql() as statements:
            change = asyncio.create_task(accounts.change_password(viewer, password, new))
            # Cancelled some turns after one of its statements began; the commit follows the last of them.
            while not change.done() and not (statements and "INSERT" in statements[-1].text):
                await asyncio.sleep(0)
            for _ in range(2 * trial):
                await asyncio.sleep(0)
            if trial < 39:  # the last one goes through on any machine
                change.cancel()
            await asyncio.wait([change])
        if await accounts.authenticate(signed_in.access_token) is None:
            assert viewer.session_id in revoked
            password = new
        await accounts.login(EMAIL, password)


async def test_a_logout_that_is_cancelled_tells_what_it_did(accounts: Accounts, revoked: list[str]) -> None:
    await accounts.signup(EMAIL, PASSWORD, None)
    for trial in range(40):
        signed_in = await accounts.login(EMAIL, PASSWORD)
        viewer = await accounts.authenticate(signed_in.access_token)
        assert viewer is not None
        end = asyncio.create_task(accounts.logout(viewer))
        for _ in range(trial):
            await asyncio.sleep(0)
        if trial < 39:
            end.cancel()
        await asyncio.wait([end])
        if await accounts.authenticate(signed_in.access_token) is None:
            assert viewer.session_id in revoked


async def test_administrators_made_at_once_are_one(accounts: Accounts) -> None:
    results = await asyncio.gather(
        *(accounts.create_admin(EMAIL, PASSWORD) for _ in range(6)),
        accounts.signup(EMAIL, "somebody else", None),
        return_exceptions=True,
    )
    assert all(isinstance(result, User | SignedIn | EmailTaken) for result in results)
    user = await User.get(email=EMAIL)
    assert user.role is Role.ADMIN
    await accounts.login(EMAIL, PASSWORD)
    assert await alive(accounts, [results[-1]]) == []
