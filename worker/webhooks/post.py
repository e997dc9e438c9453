"""One signed POST: to an address that was checked and to no other, without redirects, within a time."""

import asyncio
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import httpx

from domain.targets import Resolve, Target, TargetRefused, allowed_addresses, parse_target
from domain.webhooks.attempts import Answer, Attempt
from worker.retry_after import retry_after_seconds
from worker.webhooks.signature import signed_headers

TIMEOUT_SECONDS: Final = 10.0
_USER_AGENT: Final = "Wonder-Webhooks/1"
_GONE: Final = 410


@dataclass(frozen=True, slots=True)
class Poster:
    """Posts messages; knows the rules of connecting."""

    resolve: Resolve
    #: Which certificates are trusted.
    tls: ssl.SSLContext
    #: Whether addresses of private networks are allowed.
    private: bool = False
    timeout_seconds: float = TIMEOUT_SECONDS

    async def post(self, attempt: Attempt, now: datetime) -> Answer:
        """Send a message and return what came of it; raises nothing but cancellation."""
        try:
            target = parse_target(attempt.url)
            # One clock over everything: a receiver that drips its answer would satisfy one for each read.
            async with asyncio.timeout(self.timeout_seconds):
                addresses = await allowed_addresses(target, self.resolve, private=self.private)
                return await self._post_to_first(target, addresses, attempt, now)
        except TargetRefused as refused:
            return Answer(None, str(refused))
        except (TimeoutError, httpx.TimeoutException):
            return Answer(None, f"There was no answer within {self.timeout_seconds:g} s.")
        except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError, OSError) as error:
            return Answer(None, _described(error))

    async def _post_to_first(self, target: Target, addresses: Sequence[str], attempt: Attempt, now: datetime) -> Answer:
        """Post to the first address that takes the connection; the last one's failure is raised."""
        for address in addresses[:-1]:
            try:
                return await self._post_to(address, target, attempt, now)
            except httpx.ConnectError:
                continue  # nothing was sent
        return await self._post_to(addresses[-1], target, attempt, now)

    async def _post_to(self, address: str, target: Target, attempt: Attempt, now: datetime) -> Answer:
        # A client for each message: connections are pooled by address, and two hosts behind one must not share one.
        headers = {
            **signed_headers(attempt.delivery_id, attempt.payload, now, attempt.secrets),
            "host": target.authority,
            "content-type": "application/json",
            "user-agent": _USER_AGENT,
            "connection": "close",
        }
        async with (
            httpx.AsyncClient(verify=self.tls, trust_env=False, timeout=self.timeout_seconds) as client,
            # The answer's body is never read: it is of no use, and may be endless.
            client.stream(
                "POST",
                target.at(address),
                content=attempt.payload.encode(),
                headers=headers,
                follow_redirects=False,
                extensions={"sni_hostname": target.host},
            ) as response,
        ):
            return _answer_of(response, now)


def trusted_authorities() -> ssl.SSLContext:
    """Return the authorities that are trusted by default, or those that `SSL_CERT_FILE` or `SSL_CERT_DIR` names."""
    return httpx.create_ssl_context()


def _answer_of(response: httpx.Response, now: datetime) -> Answer:
    status = response.status_code
    if response.is_success:
        return Answer(status, None)
    if response.is_redirect or response.has_redirect_location:
        return Answer(status, f"The receiver answered {status}, a redirect; redirects are not followed.")
    error = "The receiver answered 410 Gone." if status == _GONE else f"The receiver answered {status}."
    return Answer(status, error, retry_after_seconds(response.headers.get("retry-after"), now))


def _described(error: Exception) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"The receiver's certificate is not good: {cause.verify_message}"
        if isinstance(cause, ssl.SSLError):
            return "The receiver does not speak TLS as it should."
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx.ConnectError):
        return "The connection was refused or could not be made."
    if isinstance(error, httpx.RemoteProtocolError):
        return "What the receiver answered is not HTTP, or broke off."
    return f"The connection failed: {type(error).__name__}."
