"""Which passwords are taken, and comparing them in the time that any takes."""

import asyncio
import threading
from collections.abc import Iterator

import bcrypt
import pytest

from domain.errors import InvalidInput, WeakPassword
from domain.passwords import PasswordHasher, check_password

LONGEST = "🎮🐴🌊" * 6  # 72 bytes


@pytest.fixture
def hasher() -> Iterator[PasswordHasher]:
    hasher = PasswordHasher(4)
    yield hasher
    hasher.close()


@pytest.mark.parametrize("password", ["xK9#mQ2v", "蓝的象", "三 只 熊", LONGEST, "moss " * 14 + "ok", "🎮🐴🌊"])
def test_eight_to_seventy_two_bytes_are_taken(password: str) -> None:
    check_password(password, ("input", "password"))


@pytest.mark.parametrize("password", ["", "1234567", "密码", "x" * 73, LONGEST + "x", "🎮" * 19, "x" * 10_000])
def test_other_lengths_are_weak(password: str) -> None:
    with pytest.raises(WeakPassword) as caught:
        check_password(password, ("input", "newPassword"))
    assert caught.value.path == ("input", "newPassword")
    assert "72 bytes" in caught.value.message


@pytest.mark.parametrize("password", ["12345678\x00", "\ud83c12345678", "\udfae" * 8])
def test_characters_that_cannot_be_encoded_are_named(password: str) -> None:
    with pytest.raises(InvalidInput, match="NUL or a lone surrogate"):
        check_password(password, ("input", "password"))


@pytest.mark.parametrize("password", ["correct horse", "пароль и 密码", LONGEST])
async def test_a_password_belongs_to_its_hash_alone(hasher: PasswordHasher, password: str) -> None:
    stored = await hasher.hash(password)
    assert stored.startswith("$2b$04$")
    assert await hasher.verify(password, stored)
    assert not await hasher.verify(password[:-1], stored)
    assert not await hasher.verify(password.swapcase() + "x", stored)
    assert stored != await hasher.hash(password)


@pytest.mark.parametrize("password", ["correct horse", "", "x" * 73, "\ud800", "a password of nobody", "a\x00b"])
@pytest.mark.parametrize("stored", [None, "", "!", "$2b$04$short", "plain text", "usable"])
async def test_whatever_is_wrong_costs_one_run_of_bcrypt(
    hasher: PasswordHasher, monkeypatch: pytest.MonkeyPatch, password: str, stored: str | None
) -> None:
    runs: list[bytes] = []

    def counted(secret: bytes, digest: bytes) -> bool:
        runs.append(digest)
        return real(secret, digest)

    real = bcrypt.checkpw
    monkeypatch.setattr(bcrypt, "checkpw", counted)
    if stored == "usable":
        stored = await hasher.hash("another password")
    assert not await hasher.verify(password, stored)
    assert [digest[:7] for digest in runs] == [b"$2b$04$"]


async def test_a_hash_of_an_earlier_cost_stays_good(hasher: PasswordHasher) -> None:
    stored = bcrypt.hashpw(b"correct horse", bcrypt.gensalt(5)).decode()
    assert await hasher.verify("correct horse", stored)


async def test_many_at_once_share_two_threads_and_leave_the_loop_free(hasher: PasswordHasher) -> None:
    stored = await hasher.hash("correct horse")
    before = threading.active_count()
    checks = [asyncio.ensure_future(hasher.verify("correct horse", stored)) for _ in range(40)]
    turns = 0
    while not all(check.done() for check in checks):
        turns += 1
        await asyncio.sleep(0)
    assert all(check.result() for check in checks)
    assert threading.active_count() - before <= 2
    assert turns > 5


async def test_a_closed_hasher_hashes_no_more() -> None:
    hasher = PasswordHasher(4)
    hasher.close()
    with pytest.raises(RuntimeError):
        await hasher.hash("correct horse")
