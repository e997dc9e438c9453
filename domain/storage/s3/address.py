"""Presigned addresses: AWS Signature Version 4 in the query, as of "Authenticating Requests: Using Query Parameters".

Made here and not by botocore, so that an address costs microseconds, needs no event loop and goes by our clock.
https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
"""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import quote, urlsplit

MAX_SECONDS: Final = 604_800
_ALGORITHM: Final = "AWS4-HMAC-SHA256"
_STEPS_PER_LIFE: Final = 4
#: How far the clocks of this machine and of the service may be apart, which is also what S3 lets pass in a request.
_SKEW: Final = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class SigningKey:
    """Credentials as they are now."""

    access_key_id: str
    secret_access_key: str = field(repr=False)
    #: Of temporary credentials; their end is also the end of every address signed with them.
    session_token: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Lifetime:
    """From when, and for how long, an address is good."""

    signed_at: datetime
    seconds: int

    @classmethod
    def of(cls, now: datetime, seconds: int) -> "Lifetime":
        """Return a lifetime that covers `seconds` from now, also for a service whose clock is 15 minutes off.

        The beginning is rounded down to a quarter of the time, so that an object has the same address for a while and
        caches can work. S3 takes no address for longer than seven days.
        """
        step = max(1, seconds // _STEPS_PER_LIFE)
        rounded = int(now.timestamp()) // step * step
        signed_at = datetime.fromtimestamp(rounded, UTC) - _SKEW
        return cls(signed_at, min(seconds + step + 2 * int(_SKEW.total_seconds()), MAX_SECONDS))


def presigned(url: str, overrides: Mapping[str, str], key: SigningKey, region: str, lifetime: Lifetime) -> str:
    """Return the address, which is quoted already and has no query, signed for GET.

    `overrides` are further parameters, such as `response-content-type`.
    """
    parts = urlsplit(url)
    instant = lifetime.signed_at.strftime("%Y%m%dT%H%M%SZ")
    scope = f"{instant[:8]}/{region}/s3/aws4_request"
    query = {
        **overrides,
        "X-Amz-Algorithm": _ALGORITHM,
        "X-Amz-Credential": f"{key.access_key_id}/{scope}",
        "X-Amz-Date": instant,
        "X-Amz-Expires": str(lifetime.seconds),
        "X-Amz-SignedHeaders": "host",
    }
    if key.session_token:
        query["X-Amz-Security-Token"] = key.session_token
    pairs = sorted((quote(name, safe=""), quote(value, safe="")) for name, value in query.items())
    canonical_query = "&".join(f"{name}={value}" for name, value in pairs)
    request = f"GET\n{parts.path}\n{canonical_query}\nhost:{parts.netloc}\n\nhost\nUNSIGNED-PAYLOAD"
    digest = hashlib.sha256(request.encode()).hexdigest()
    signature = _signature(key.secret_access_key, scope, f"{_ALGORITHM}\n{instant}\n{scope}\n{digest}")
    return f"{url}?{canonical_query}&X-Amz-Signature={signature}"


def _signature(secret: str, scope: str, text: str) -> str:
    signing_key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        signing_key = hmac.digest(signing_key, part.encode(), "sha256")
    return hmac.new(signing_key, text.encode(), hashlib.sha256).hexdigest()
