"""One mailbox, one spelling."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.emails import normalise_email
from domain.errors import InvalidInput

PATH = ("input", "email")


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("ann@example.com", "ann@example.com"),
        (" Ann.Lee+Games@EXAMPLE.com\n", "ann.lee+games@example.com"),
        ("USER@wonder.test", "user@wonder.test"),
        ("admin@studio.local", "admin@studio.local"),
        ("用户@例子.广告", "用户@例子.广告"),
        ("a@xn--fsqu00a.xn--4rr70v", "a@例子.广告"),
        ("JOSÉ@example.com", "josé@example.com"),
        (unicodedata.normalize("NFD", "josé@example.com"), unicodedata.normalize("NFC", "josé@example.com")),
        ("ΣΊΣΥΦΟΣ@example.com", "σίσυφοσ@example.com"),
        ("a@straße.de", "a@straße.de"),
        ("a@STRASSE.de", "a@strasse.de"),
    ],
)
def test_spellings_of_one_mailbox_become_one(typed: str, kept: str) -> None:
    assert normalise_email(typed, PATH) == kept


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "ann",
        "@example.com",
        "ann@",
        "ann@localhost",
        "ann@com",
        "a b@example.com",
        "a@b@example.com",
        "a..b@example.com",
        '"a b"@example.com',
        "Ann <ann@example.com>",
        "ann@[127.0.0.1]",
        "ann@exa mple.com",
        "ann@example.com\x00",
        "a\ud800@example.com",
        "a\nb@example.com",
        "a\u202e@example.com",
        "a@" + "x" * 64 + ".com",
        "a@" + "x." * 200 + "com",
        "ŉ" * 60 + "@" + "x" * 60 + "." + "x" * 60 + ".com",  # longer once case is folded
        "x" * 1_000_000,
    ],
    ids=lambda typed: repr(typed[:24]),
)
def test_what_is_no_address_is_named(typed: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        normalise_email(typed, PATH)
    assert caught.value.path == PATH
    caught.value.message.encode()


@given(st.emails() | st.text(st.characters(categories=["L", "N", "M"]), min_size=1, max_size=20).map("{}@x.com".format))
def test_the_one_spelling_is_its_own(typed: str) -> None:
    try:
        kept = normalise_email(typed, PATH)
    except InvalidInput:
        return
    assert normalise_email(kept, PATH) == kept
    assert normalise_email(unicodedata.normalize("NFD", kept), PATH) == kept
    assert len(kept.encode()) <= 254
