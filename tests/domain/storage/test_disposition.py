"""Download names survive in every language and never break out of their header."""

import re
from typing import Final
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.storage.disposition import content_disposition

#: RFC 6266 and RFC 8187, by their grammar.
_BOTH_FORMS: Final = re.compile(
    r"""inline; filename="(?P<plain>[^"\\]*)\""""
    r"""(; filename\*=UTF-8''(?P<extended>([A-Za-z0-9!#$&+.^_`|~-]|%[0-9A-F]{2})+))?"""
)


def test_plain_names_are_written_plainly() -> None:
    assert content_disposition("application/zip", "hero sheet.zip") == 'attachment; filename="hero sheet.zip"'


def test_other_names_come_in_both_forms() -> None:
    value = content_disposition("image/png", "史莱姆 🧑‍🚀.png")
    assert value == (
        'inline; filename="___ ___.png"; '
        "filename*=UTF-8''%E5%8F%B2%E8%8E%B1%E5%A7%86%20%F0%9F%A7%91%E2%80%8D%F0%9F%9A%80.png"
    )


@pytest.mark.parametrize(
    ("media_type", "shown"),
    [
        ("image/png", True),
        ("image/webp", True),
        ("video/mp4", True),
        ("image/svg+xml", False),
        ("text/html", False),
        ("application/json", False),
        ("", False),
    ],
)
def test_only_what_cannot_run_is_shown_in_place(media_type: str, *, shown: bool) -> None:
    assert content_disposition(media_type, "a").startswith("inline" if shown else "attachment")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd", ".._.._etc_passwd"),
        ("a\r\nSet-Cookie: x", "a__Set-Cookie: x"),
        ("", "download"),
        ("..", "download"),
        (" . ", "download"),
        ("\ud800", "_"),
        ("cute\u202egnp.exe", "cute_gnp.exe"),
        ("\u2066a\u2069.png", "_a_.png"),
    ],
)
def test_no_name_leaves_its_place(name: str, shown: str) -> None:
    assert content_disposition("image/png", name) == f'inline; filename="{shown}"'


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="/\\"), min_size=1))
def test_clients_read_the_name_back(name: str) -> None:
    value = content_disposition("image/png", name)
    assert value.isascii()
    assert value.isprintable()
    match = _BOTH_FORMS.fullmatch(value)
    assert match is not None
    assert (match["plain"] if match["extended"] is None else unquote(match["extended"])) == name
