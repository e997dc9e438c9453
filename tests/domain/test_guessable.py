"""Passwords that are guessed first, and such as are not."""

import time

import pytest

from domain.errors import WeakPassword
from domain.guessable import is_guessable
from domain.passwords import check_password

ABOUT = ("ada.lovelace@example.com", "Ada Lovelace")


@pytest.mark.parametrize(
    "password",
    [
        "password", "Password1", "P@ssw0rd!", "passw0rd2026", "passwordpassword", "PASSWORD password PASSWORD",
        "12345678", "87654321", "123456789012"[:11], "19991231", "11111111", "aaaaaaaa", "abababab", "        ",
        "🎮🎮🎮",
        "abcd1234", "abcdefghijkl", "a1b2c3d4", "qwertyuiop", "poiuytrewq", "qwerty123", "1q2w3e4r", "1qaz2wsx",
        "!@#$%^&*",
        "iloveyou2", "i_love_you", "letmein!!", "dragon2026!!", "admin123", "Sommer2026!", "trustno1", "football1",
        "ＰＡＳＳＷＯＲＤ",
        "密码密码密码", "пароль123", "パスワード1", "minecraft99", "wonder2026", "dragon-unicorn",
        "Adalovelace1", "ada.lovelace", "lovelace99", "LovelaceAda", "example2026",
    ],
)  # fmt: skip
def test_what_is_guessed_first_is_refused(password: str) -> None:
    assert is_guessable(password, ABOUT)
    with pytest.raises(WeakPassword, match="guessed first"):
        check_password(password, ("input", "password"), ABOUT)


@pytest.mark.parametrize(
    "password",
    [
        "correct horse", "battery staple", "correct horse 🐴", "clients password", "another one", "tr0ub4dor&3",
        "xK9#mQ2v",
        "蓝色的大象在跳舞", "moss and stone", "zebra7lantern", "J7f-kw2-Qm", "dragon unicorn rainbow",
        "my cat sits here",
        "314159265358", "مرحبا بالعالم الجميل",
    ],
)  # fmt: skip
def test_what_has_to_be_searched_for_is_taken(password: str) -> None:
    assert not is_guessable(password, ABOUT)


def test_what_is_about_somebody_else_does_not_matter() -> None:
    assert is_guessable("hopper1906!", ("grace.hopper@example.com",))
    assert not is_guessable("hopper1906!", ABOUT)


def test_short_names_are_in_too_many_words_to_matter() -> None:
    assert not is_guessable("li walks home slowly", ("li@example.com", "Li"))


def test_the_longest_and_strangest_cost_little() -> None:
    longest = ("lovelacepasswordqwertyabc" * 3)[:72]
    began = time.process_time()
    for _ in range(20):
        is_guessable(longest, ("a" * 64 + "@" + "b." * 90 + "example", "名" * 100))
    assert (time.process_time() - began) / 20 < 0.05
