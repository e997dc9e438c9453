"""Signed tokens: who may act (access) and who may ask for the next pair (refresh). JWT, RFC 7519.

Also signs what services of others want signed with the key that they have given out.
"""

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

import jwt

from domain.clock import Clock
from domain.errors import Unauthenticated
from domain.ids import IdPrefix, new_id

TokenType = Literal["access", "refresh"]

_ALGORITHM: Final = "HS256"
_ISSUER: Final = "wonder"
_AUDIENCE: Final = "wonder-api"
#: Far beyond what is issued, far below what costs anything to look at.
_MAX_CHARACTERS: Final = 2048
#: How far the clocks of two servers may differ.
_SKEW_SECONDS: Final = 60
_REQUIRED: Final = ("exp", "iat", "sub", "aud", "iss", "typ", "jti", "sid")
# Times are compared with the clock that was handed in; PyJWT knows only the machine's.
_OPTIONS: Final[jwt.types.Options] = {
    "require": list(_REQUIRED),
    "strict_aud": True,
    "verify_exp": False,
    "verify_iat": False,
    "verify_nbf": False,
}


class InvalidToken(Unauthenticated):
    """The token is not valid or has expired. Log in again."""


@dataclass(frozen=True, slots=True)
class TokenClaims:
    """What a token says, once its signature and every claim were checked."""

    user_id: str
    session_id: str
    token_id: str
    issued_at: datetime
    expires_at: datetime


def signed_claims(claims: Mapping[str, object], key: str) -> str:
    """Return claims as a JWT (HS256) under a key of somebody else's, who alone decides how long such a key is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", jwt.InsecureKeyLengthWarning)
        return jwt.encode(dict(claims), key, algorithm=_ALGORITHM)


class TokenIssuer:
    """Makes and reads the tokens of one key."""

    def __init__(self, key: bytes, clock: Clock, *, access_seconds: float, refresh_seconds: float) -> None:
        self._key = key
        self._clock = clock
        self._lifetimes: dict[TokenType, float] = {"access": access_seconds, "refresh": refresh_seconds}

    def access(self, user_id: str, session_id: str) -> tuple[str, datetime]:
        """Return an access token and when it expires."""
        return self._issue("access", user_id, session_id, new_id(IdPrefix.TOKEN))

    def refresh(self, user_id: str, session_id: str, token_id: str) -> tuple[str, datetime]:
        """Return a refresh token with this id and when it expires."""
        return self._issue("refresh", user_id, session_id, token_id)

    def read(self, token: str, typ: TokenType) -> TokenClaims:
        """Return the claims of a token of this type, or raise `InvalidToken`, whatever is wrong with it."""
        if len(token) > _MAX_CHARACTERS or not token.isascii():
            raise InvalidToken
        try:
            claims = jwt.decode(
                token, self._key, algorithms=[_ALGORITHM], audience=_AUDIENCE, issuer=_ISSUER, options=_OPTIONS
            )
        except jwt.PyJWTError:
            raise InvalidToken from None
        return self._checked(claims, typ)

    def _issue(self, typ: TokenType, user_id: str, session_id: str, token_id: str) -> tuple[str, datetime]:
        now = self._clock.now().timestamp()
        # Whole seconds, so that what is returned is exactly what the token says.
        expires = math.ceil(now + self._lifetimes[typ])
        claims = {
            "iss": _ISSUER,
            "aud": _AUDIENCE,
            "sub": user_id,
            "sid": session_id,
            "jti": token_id,
            "typ": typ,
            "iat": math.floor(now),
            "exp": expires,
        }
        return jwt.encode(claims, self._key, algorithm=_ALGORITHM), datetime.fromtimestamp(expires, UTC)

    def _checked(self, claims: dict[str, Any], typ: TokenType) -> TokenClaims:
        issued, expires = claims["iat"], claims["exp"]
        # bool is an int to Python; a float would be one that we never wrote.
        if type(issued) is not int or type(expires) is not int or "nbf" in claims:
            raise InvalidToken
        now = self._clock.now().timestamp()
        # Rounding outwards to whole seconds adds less than two.
        longest = math.ceil(self._lifetimes[typ]) + 2
        if not (issued <= now + _SKEW_SECONDS and now < expires and expires - issued <= longest):
            raise InvalidToken
        if claims["typ"] != typ or not isinstance(claims["sid"], str):
            raise InvalidToken
        return TokenClaims(
            user_id=claims["sub"],
            session_id=claims["sid"],
            token_id=claims["jti"],
            issued_at=datetime.fromtimestamp(issued, UTC),
            expires_at=datetime.fromtimestamp(expires, UTC),
        )
