"""Signed addresses open what they name, unchanged and in time, and nothing else."""

from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.storage.signing import FileGrant, UrlSigner
from tests.conftest import MovableClock

KEY = b"k" * 32
TTL = 3600


def _opened(url: str) -> tuple[str, dict[str, str]]:
    """Take an address apart as a web server does."""
    parts = urlsplit(url)
    assert parts.path.startswith("/files/")
    return unquote(parts.path).removeprefix("/files/"), dict(parse_qsl(parts.query, keep_blank_values=True))


@given(
    st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=50),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=50),
)
def test_a_signed_address_opens_in_every_language(name: str, download_name: str) -> None:
    key = f"users/u/{name.replace('/', '_').replace(chr(92), '_')}.png"
    signer = UrlSigner(KEY, MovableClock(), TTL)
    url = signer.sign(key, "image/png", download_name)
    assert url.isascii()
    grant = signer.verify(*_opened(url))
    assert grant is not None
    assert (grant.key, grant.media_type, grant.download_name) == (key, "image/png", download_name)


def test_an_address_says_how_long_it_lives(clock: MovableClock) -> None:
    signer = UrlSigner(KEY, clock, TTL)
    assert signer.verify(*_opened(signer.sign("a/b", "image/png", "b"))) == FileGrant("a/b", "image/png", "b", TTL)


def test_the_same_object_keeps_its_address_for_a_while(clock: MovableClock) -> None:
    signer = UrlSigner(KEY, clock, TTL)
    clock.advance(1)
    first = signer.sign("a", "image/png", "a")
    clock.advance(TTL / 4 - 1)
    assert signer.sign("a", "image/png", "a") == first
    clock.advance(1)
    assert signer.sign("a", "image/png", "a") != first


@pytest.mark.parametrize("ttl", [1, 2, 10, 3600, 604_800])
@pytest.mark.parametrize("offset", [0, 1, 2.5, 899, 900, 901])
def test_it_lives_at_least_as_long_as_told_and_at_most_a_quarter_longer(
    clock: MovableClock, ttl: int, offset: float
) -> None:
    signer = UrlSigner(KEY, clock, ttl)
    clock.advance(offset)
    opened = _opened(signer.sign("a", "image/png", "a"))
    clock.advance(ttl - 1)
    assert signer.verify(*opened) is not None
    clock.advance(1 + max(1, ttl // 4))
    assert signer.verify(*opened) is None


@pytest.mark.parametrize("field", ["expires", "type", "name", "signature"])
@pytest.mark.parametrize("change", [lambda v: v + "0", lambda v: "", lambda v: v.swapcase() + " ", lambda v: "٣", None])
def test_every_part_is_signed(clock: MovableClock, field: str, change: object) -> None:
    signer = UrlSigner(KEY, clock, TTL)
    key, query = _opened(signer.sign("users/u/a.png", "image/png", "Name.png"))
    if callable(change):
        query[field] = change(query[field])
    else:
        del query[field]
    assert signer.verify(key, query) is None


@pytest.mark.parametrize(
    "other",
    ["users/u/b.png", "users/u/A.png", "users/u/a.png/", "users/u/../u/a.png", "users/u/%61.png", "users/u/a.png\x00"],
)
def test_a_signature_opens_one_key(clock: MovableClock, other: str) -> None:
    signer = UrlSigner(KEY, clock, TTL)
    _, query = _opened(signer.sign("users/u/a.png", "image/png", "a"))
    assert signer.verify(other, query) is None


def test_fields_cannot_trade_characters(clock: MovableClock) -> None:
    signer = UrlSigner(KEY, clock, TTL)
    key, query = _opened(signer.sign("a", "image/png", "b"))
    assert signer.verify(key, query | {"type": "image/pn", "name": "gb"}) is None


def test_another_servers_key_opens_nothing(clock: MovableClock) -> None:
    opened = _opened(UrlSigner(b"x" * 32, clock, TTL).sign("a", "image/png", "a"))
    assert UrlSigner(KEY, clock, TTL).verify(*opened) is None


@pytest.mark.parametrize("key", ["../a", "", "/a", "a\x00"])
def test_what_is_no_key_is_not_signed(clock: MovableClock, key: str) -> None:
    with pytest.raises(ValueError, match="key"):
        UrlSigner(KEY, clock, TTL).sign(key, "image/png", "a")


@settings(max_examples=300)
@given(
    st.text(st.characters()),
    st.dictionaries(st.sampled_from(["expires", "type", "name", "signature"]), st.text(st.characters())),
)
def test_nonsense_opens_nothing_and_breaks_nothing(key: str, query: dict[str, str]) -> None:
    assert UrlSigner(KEY, MovableClock(), TTL).verify(key, query) is None
