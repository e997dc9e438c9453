"""Keys stay below their prefix, in every language and length."""

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.storage.keys import (
    check_key,
    check_prefix,
    output_key,
    project_prefix,
    task_prefix,
    tasks_prefix,
    upload_key,
)

NAMES = [
    "sprite.png",
    "史莱姆 🧑‍🚀.png",
    "שלום\u200f.json",
    "é" * 127,
    "a" * 255,
    "…",
    "\uff0e\uff0e",
    "‥",
    "%2e%2e",
    "~",
    " ",
]
BAD_PARTS = ["", ".", "..", "a/b", "../x", "a\\b", "\x00", "a\nb", "\x7f", "\x85", "\ud800", "a" * 256, "图" * 86]


def test_keys_are_built_from_ids() -> None:
    assert project_prefix("u1", "p1") == "users/u1/projects/p1/"
    assert task_prefix("u1", "p1", "t1") == "users/u1/projects/p1/tasks/t1/"
    assert output_key("u1", "p1", "t1", "run", "a.png") == "users/u1/projects/p1/tasks/t1/output/run/a.png"
    assert tasks_prefix("u1", "p1") == "users/u1/projects/p1/tasks/"
    assert upload_key("u1", "i1", "png") == "users/u1/uploads/i1.png"


@pytest.mark.parametrize("name", NAMES)
def test_names_of_every_language_are_taken_as_they_are(name: str) -> None:
    key = output_key("u", "p", "t", "r", name)
    assert key.endswith(f"/output/r/{name}")
    assert check_key(key) == key


@pytest.mark.parametrize("part", BAD_PARTS)
def test_no_part_leads_elsewhere(part: str) -> None:
    builders: list[Callable[[], str]] = [
        lambda: project_prefix(part, "p"),
        lambda: project_prefix("u", part),
        lambda: task_prefix("u", "p", part),
        lambda: output_key("u", "p", "t", part, "n"),
        lambda: output_key("u", "p", "t", "r", part),
    ]
    for build in builders:
        with pytest.raises(ValueError, match="key"):
            build()


@pytest.mark.parametrize("part", ["a/b", "../x", "a\\b", "\x00", "a" * 256])
def test_no_upload_leads_elsewhere(part: str) -> None:
    with pytest.raises(ValueError, match="key"):
        upload_key("u", part, "png")
    with pytest.raises(ValueError, match="key"):
        upload_key("u", "i", part)


@pytest.mark.parametrize(
    "key", ["", "/", "/a", "a/", "a//b", "../a", "a/../b", "a/..", "a/./b", "a\\b", "a/\x00", "\udcff"]
)
def test_what_is_no_key_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="key"):
        check_key(key)


def test_a_key_has_at_most_1024_bytes() -> None:
    whole = "/".join(["a" * 255] * 4) + "/"
    assert check_key(whole[:-1])
    assert len(whole) == 1024
    with pytest.raises(ValueError, match="1024"):
        check_key(whole + "b")


@pytest.mark.parametrize("prefix", ["", "/", "a", "a//", "../", "a/../", "/a/"])
def test_what_is_no_prefix_is_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match=r"key|slash"):
        check_prefix(prefix)


def test_a_prefix_comes_back() -> None:
    assert check_prefix("users/u/") == "users/u/"


@given(st.text(st.characters()))
def test_a_key_that_is_taken_resolves_below_its_root(text: str) -> None:
    try:
        check_key(text)
    except ValueError:
        return
    assert "\\" not in text
    assert all(part not in {"", ".", ".."} and len(part.encode()) <= 255 for part in text.split("/"))
    assert all(unicodedata.category(character) not in {"Cc", "Cs"} for character in text)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=60))
def test_every_other_text_is_a_part(text: str) -> None:
    part = text.replace("/", "_").replace("\\", "_")
    if part.strip(".") or len(part) > 2:
        assert output_key("u", "p", "t", "r", part).split("/")[-1] == part
