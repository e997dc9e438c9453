"""What an API key looks like."""

import hashlib
import re

from hypothesis import given
from hypothesis import strategies as st

from domain.key_text import hash_of_key, hint_of_key, is_key_text, new_key_text


def test_a_key_is_recognisable_and_can_be_selected_with_two_clicks() -> None:
    assert re.fullmatch(r"wk_[0-9A-Za-z]{49}", new_key_text())


def test_keys_differ_in_all_of_their_random_part() -> None:
    keys = [new_key_text() for _ in range(500)]
    assert len(set(keys)) == 500
    for position in range(4, 46):  # the first character of 256 bits in base 62 takes only some values
        assert len({key[position] for key in keys}) > 40


def test_the_checksum_is_that_of_the_documented_layout() -> None:
    # 256 zero bits; CRC-32 of "wk_" and 43 zeros, computed apart with zlib: 3374212839 is 3gLqtj in base 62.
    assert is_key_text("wk_" + "0" * 43 + "3gLqtj")


@given(st.integers(3, 51), st.sampled_from("09AZaz"))
def test_one_wrong_character_is_noticed_without_a_database(position: int, other: str) -> None:
    key = new_key_text()
    changed = key[:position] + other + key[position + 1 :]
    assert is_key_text(changed) is (changed == key)


def test_what_is_no_key_is_none() -> None:
    key = new_key_text()
    for text in ("", "wk_", key[:-1], key + "0", f" {key}", f"{key}\n", key.replace("wk_", "WK_"), "wk_" + "é" * 49):
        assert not is_key_text(text)


def test_what_is_stored_is_a_hash_and_a_hint_that_completes_nothing() -> None:
    key = new_key_text()
    assert hash_of_key(key) == hashlib.sha256(key.encode()).hexdigest()
    assert hint_of_key(key) == f"{key[:7]}...{key[-4:]}"
