"""Tokens, and everything that somebody may try to pass off as one."""

import base64
import json
import warnings
from datetime import UTC, datetime
from typing import Any, get_args

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import Unauthenticated
from domain.ids import IdPrefix, new_id
from domain.tokens import InvalidToken, TokenIssuer, TokenType, signed_claims
from tests.conftest import MovableClock

KEY = b"k" * 32
USER, SESSION, TOKEN = new_id(IdPrefix.USER), new_id(IdPrefix.SESSION), new_id(IdPrefix.TOKEN)


@pytest.fixture
def issuer(clock: MovableClock) -> TokenIssuer:
    return TokenIssuer(KEY, clock, access_seconds=900, refresh_seconds=30 * 86_400)


def claims_of(token: str) -> dict[str, Any]:
    claims: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
    return claims


def forged(issuer: TokenIssuer, **changes: object) -> str:
    """A token with the right key and a valid one's claims, of which some are changed or (None) missing."""
    claims = claims_of(issuer.access(USER, SESSION)[0]) | changes
    present = {name: value for name, value in claims.items() if value is not None}
    payload = json.dumps(present).encode()
    return jwt.PyJWS().encode(payload, KEY, "HS256")


def test_a_token_says_what_it_was_made_of(issuer: TokenIssuer, clock: MovableClock) -> None:
    access, expires_at = issuer.access(USER, SESSION)
    claims = issuer.read(access, "access")
    assert (claims.user_id, claims.session_id) == (USER, SESSION)
    assert (claims.issued_at, claims.expires_at) == (clock.instant, expires_at)
    assert (expires_at - clock.instant).total_seconds() == 900
    refresh, expires_at = issuer.refresh(USER, SESSION, TOKEN)
    assert issuer.read(refresh, "refresh").token_id == TOKEN
    assert (expires_at - clock.instant).days == 30


def test_it_carries_the_claims_that_the_standard_names(issuer: TokenIssuer) -> None:
    token, _ = issuer.access(USER, SESSION)
    assert set(claims_of(token)) == {"iss", "aud", "sub", "sid", "jti", "typ", "iat", "exp"}
    assert jwt.get_unverified_header(token) == {"alg": "HS256", "typ": "JWT"}


def test_no_two_access_tokens_are_equal(issuer: TokenIssuer) -> None:
    assert issuer.access(USER, SESSION) != issuer.access(USER, SESSION)


def test_it_ends_on_the_second_that_was_told(issuer: TokenIssuer, clock: MovableClock) -> None:
    clock.advance(0.7)
    token, expires_at = issuer.access(USER, SESSION)
    clock.advance((expires_at - clock.instant).total_seconds() - 0.001)
    issuer.read(token, "access")
    clock.advance(0.001)
    with pytest.raises(InvalidToken):
        issuer.read(token, "access")


def test_lives_of_parts_of_a_second_work(clock: MovableClock) -> None:
    issuer = TokenIssuer(KEY, clock, access_seconds=0.5, refresh_seconds=1.5)
    clock.advance(0.9)
    issuer.read(issuer.access(USER, SESSION)[0], "access")
    issuer.read(issuer.refresh(USER, SESSION, TOKEN)[0], "refresh")


def test_one_type_is_never_the_other(issuer: TokenIssuer) -> None:
    tokens = {"access": issuer.access(USER, SESSION)[0], "refresh": issuer.refresh(USER, SESSION, TOKEN)[0]}
    for made in get_args(TokenType):
        for asked in get_args(TokenType):
            if made == asked:
                issuer.read(tokens[made], asked)
            else:
                with pytest.raises(InvalidToken):
                    issuer.read(tokens[made], asked)


def test_the_check_of_forgeries_starts_from_a_good_one(issuer: TokenIssuer) -> None:
    assert issuer.read(forged(issuer), "access").user_id == USER


@pytest.mark.parametrize("name", ["exp", "iat", "sub", "aud", "iss", "typ", "jti", "sid"])
def test_every_claim_is_required(issuer: TokenIssuer, name: str) -> None:
    with pytest.raises(InvalidToken):
        issuer.read(forged(issuer, **{name: None}), "access")


NOW = int(datetime(2026, 12, 1, 12, 0, tzinfo=UTC).timestamp())


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": "another-api"},
        {"aud": ["wonder-api", "another-api"]},
        {"iss": "another"},
        {"iss": ["wonder"]},
        {"sub": 42},
        {"sid": 42},
        {"jti": 42},
        {"typ": "refresh"},
        {"typ": "ACCESS"},
        {"typ": ["access"]},
        {"exp": 10**30},
        {"exp": NOW + 86_400 * 365},
        {"exp": NOW},
        {"exp": NOW - 1},
        {"exp": -1},
        {"exp": str(NOW + 100)},
        {"exp": NOW + 100.5},
        {"exp": True},
        {"exp": float("inf")},
        {"exp": float("nan")},
        {"iat": NOW + 3600, "exp": NOW + 3700},
        {"iat": -(10**30)},
        {"iat": "yesterday"},
        {"iat": False},
        {"nbf": NOW + 3600},
        {"nbf": "soon"},
    ],
    ids=str,
)
def test_no_claim_may_be_something_else(issuer: TokenIssuer, changes: dict[str, object]) -> None:
    with pytest.raises(InvalidToken):
        issuer.read(forged(issuer, **changes), "access")


def test_the_clock_of_another_server_may_go_a_little_wrong(issuer: TokenIssuer, clock: MovableClock) -> None:
    token, _ = issuer.access(USER, SESSION)
    clock.advance(-30)
    issuer.read(token, "access")
    clock.advance(-60)
    with pytest.raises(InvalidToken):
        issuer.read(token, "access")


def _part(data: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(data).encode()).decode().rstrip("=")


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "nOnE", ""])
def test_unsigned_is_refused(issuer: TokenIssuer, algorithm: str) -> None:
    claims = claims_of(issuer.access(USER, SESSION)[0])
    signature = issuer.access(USER, SESSION)[0].rpartition(".")[2]
    for ending in ("", signature):
        with pytest.raises(InvalidToken):
            issuer.read(f"{_part({'alg': algorithm, 'typ': 'JWT'})}.{_part(claims)}.{ending}", "access")


@pytest.mark.parametrize("algorithm", ["HS384", "HS512"])
@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
def test_another_algorithm_is_refused_even_with_the_key(issuer: TokenIssuer, algorithm: str) -> None:
    claims = claims_of(issuer.access(USER, SESSION)[0])
    with pytest.raises(InvalidToken):
        issuer.read(jwt.encode(claims, KEY, algorithm=algorithm), "access")


def test_another_key_is_refused(issuer: TokenIssuer, clock: MovableClock) -> None:
    other = TokenIssuer(b"o" * 32, clock, access_seconds=900, refresh_seconds=900)
    with pytest.raises(InvalidToken):
        issuer.read(other.access(USER, SESSION)[0], "access")


@pytest.mark.parametrize("header", [{"b64": False, "crit": ["b64"]}, {"crit": ["x"]}, {"kid": 7}, {"alg": ["HS256"]}])
def test_headers_that_ask_for_more_are_refused(issuer: TokenIssuer, header: dict[str, object]) -> None:
    _, payload, signature = issuer.access(USER, SESSION)[0].split(".")
    with pytest.raises(InvalidToken):
        issuer.read(f"{_part({'alg': 'HS256', 'typ': 'JWT'} | header)}.{payload}.{signature}", "access")


@given(place=st.integers(0, 10_000), character=st.sampled_from("Aaz09-_.~é"))
def test_a_changed_character_spoils_it(place: int, character: str) -> None:
    issuer = TokenIssuer(KEY, MovableClock(), access_seconds=900, refresh_seconds=900)
    token, _ = issuer.access(USER, SESSION)
    # The last character of a signature holds two bits that mean nothing.
    place %= len(token) - 1
    changed = token[:place] + character + token[place + 1 :]
    if changed == token:
        issuer.read(changed, "access")
    else:
        with pytest.raises(InvalidToken):
            issuer.read(changed, "access")


@given(st.text())
def test_any_text_is_refused_in_one_way(text: str) -> None:
    issuer = TokenIssuer(KEY, MovableClock(), access_seconds=900, refresh_seconds=900)
    with pytest.raises(InvalidToken) as caught:
        issuer.read(text, "access")
    assert isinstance(caught.value, Unauthenticated)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "token",
    ["", ".", "..", "a.b.c", "....", "\ud800", "x" * 100_000, f"{'W' * 1500}.e30.e30", f"{_part([])}.e30.x"],
    ids=lambda token: token[:8].encode("utf-8", "replace").decode(),
)
def test_rubbish_is_refused(issuer: TokenIssuer, token: str) -> None:
    with pytest.raises(InvalidToken):
        issuer.read(token, "access")


def test_nothing_that_is_shown_holds_the_key(issuer: TokenIssuer) -> None:
    assert "kkk" not in repr(issuer)
    assert "kkk" not in InvalidToken().message


def test_claims_are_signed_with_a_key_of_somebody_elses_however_short() -> None:
    for key in ("short", "k" * 40):
        token = signed_claims({"iss": "x", "exp": 5}, key)
        assert jwt.get_unverified_header(token) == {"alg": "HS256", "typ": "JWT"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            claims = jwt.decode(token, key, algorithms=["HS256"], options={"verify_exp": False})
        assert claims == {"iss": "x", "exp": 5}
