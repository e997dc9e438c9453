"""Sending requests to one service: pooled, limited, timed, tried again where that is safe, and cut off when cancelled.

HTTP/1.1 only: see docs/decisions/providers-are-called-over-http-1-1.md.
"""

import asyncio
import logging
import random
import ssl
from collections.abc import Awaitable, Callable
from typing import Final

import httpx

from domain.clock import Clock
from worker.providers.base import ProviderError
from worker.providers.errors import (
    AUTH,
    BAD_ANSWER,
    OUTCOME_UNKNOWN,
    QUOTA,
    RATE_LIMITED,
    TIMEOUT,
    UNAVAILABLE,
    failure,
)
from worker.providers.health import Health
from worker.providers.http.answer import Answer
from worker.providers.http.backoff import backoff_seconds
from worker.providers.http.call import Call
from worker.providers.http.limiter import Limiter, NoPlace
from worker.providers.http.refusal import Refusal
from worker.providers.http.service import Service

_log = logging.getLogger(__name__)
_USER_AGENT: Final = "Wonder/1"
_WRITE_SECONDS: Final = 60.0
#: How long an idle connection is kept; servers close theirs, and a request on one that is just closing is lost.
_IDLE_SECONDS: Final = 15.0
#: Nothing of the request has reached anybody.
_NOT_SENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)
_SHUT_OUT: Final = (AUTH, QUOTA)


class HttpClient:
    """The way to one service. Every failure is a `ProviderError`; cancelling a call closes its connection."""

    def __init__(
        self,
        service: Service,
        health: Health,
        limiter: Limiter,
        tls: ssl.SSLContext,
        clock: Clock,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.service = service
        self._health = health
        self._limiter = limiter
        self._clock = clock
        self._sleep = sleep
        self._chance = chance
        times = service.times
        self._http = httpx.AsyncClient(
            verify=tls,
            # Proxies of the environment lead out of a network; a server of one's own is inside.
            trust_env=not service.local,
            timeout=httpx.Timeout(times.read, connect=times.connect, write=_WRITE_SECONDS, pool=None),
            limits=httpx.Limits(max_connections=None, keepalive_expiry=_IDLE_SECONDS),
            headers={"user-agent": _USER_AGENT, **service.headers},
            follow_redirects=False,
        )

    async def aclose(self) -> None:
        """Close the idle connections."""
        await self._http.aclose()

    async def send(self, call: Call) -> Answer:
        """Return the answer that was hoped for; raises `ProviderError` for any other and for none."""
        retry = 0
        while True:
            self._check_health()
            try:
                outcome = await self._exchange(call)
            except BaseException:
                self._health.gave_up_probe()
                raise
            if isinstance(outcome, Answer):
                return outcome
            refusal, request_id = outcome
            wait = backoff_seconds(retry, refusal.retry_after_seconds, self._chance) if refusal.resend else None
            longest = call.patience_seconds
            if wait is None or retry >= self.service.retries or (longest is not None and wait > longest):
                raise self._failure(call, refusal, request_id)
            retry += 1
            await self._sleep(wait)

    def _check_health(self) -> None:
        if reason := self._health.admit():
            raise failure(UNAVAILABLE, self.service.name, said=reason)

    def _check_turned_down(self) -> None:
        if reason := self._health.broken_reason:
            raise failure(UNAVAILABLE, self.service.name, said=reason)

    async def _exchange(self, call: Call) -> Answer | tuple[Refusal, str | None]:
        """Send once, in turn, and judge what comes of it, also for the service's health and pace."""
        if call.aside:
            outcome = await self._timed(call)
        else:
            try:
                async with self._limiter.slot(call.patience_seconds):
                    # Somebody may have found out, while this one waited, that nobody is there.
                    self._check_turned_down()
                    outcome = await self._timed(call)
            except NoPlace:
                return Refusal(RATE_LIMITED, "Every place among the requests of this key is taken."), None
        if isinstance(outcome, Refusal):  # there was no answer
            return outcome, None
        refusal = self.service.judge(outcome, paid=self._pays(call), now=self._clock.now())
        if refusal is None:
            self._health.succeeded()
            return outcome
        self._note(refusal)
        return refusal, refusal.request_id or outcome.request_id

    def _note(self, refusal: Refusal) -> None:
        kind = refusal.kind
        if kind in _SHUT_OUT:
            self._health.failed(f"The last request was turned away: {kind.message}", at_once=True)
        elif kind in (UNAVAILABLE, OUTCOME_UNKNOWN, TIMEOUT):
            self._health.failed("The service answers with errors of its own.", at_once=False)
        else:
            self._health.succeeded()
        if kind is RATE_LIMITED and refusal.retry_after_seconds is not None:
            self._limiter.pause(refusal.retry_after_seconds)

    async def _timed(self, call: Call) -> Answer | Refusal:
        """Send within the times; returns a refusal where no answer came."""
        paid = self._pays(call)
        safe = not paid and call.method == "GET"
        try:
            async with asyncio.timeout(call.total_seconds or self.service.times.total):
                return await self._send_once(call)
        except _NOT_SENT as error:
            self._health.failed("The service could not be reached.", at_once=True)
            return Refusal(UNAVAILABLE, f"{type(error).__name__} before anything was sent")
        except (TimeoutError, httpx.TimeoutException):
            self._health.failed("The service did not answer in time.", at_once=False)
            return Refusal(OUTCOME_UNKNOWN if paid else TIMEOUT, resend=safe)
        except httpx.DecodingError:
            return Refusal(BAD_ANSWER, "The answer's compression is broken.")
        except httpx.TransportError as error:
            self._health.failed("Connections to the service break.", at_once=False)
            said = f"The connection broke: {type(error).__name__}."
            return Refusal(OUTCOME_UNKNOWN if paid else UNAVAILABLE, said, resend=safe)

    async def _send_once(self, call: Call) -> Answer | Refusal:
        service = self.service
        url = call.path if "://" in call.path else service.base_url + call.path
        files = [(name, (file, data, media_type)) for name, file, data, media_type in call.files]
        async with self._http.stream(
            call.method,
            url,
            json=call.json,
            data=dict(call.form) if call.form is not None else None,
            files=files or None,
            params=dict(call.query) or None,
            headers={**(service.sign() if service.sign is not None else {}), **call.headers},
        ) as response:
            parts, size = [], 0
            async for part in response.aiter_bytes():
                size += len(part)
                if size > service.max_answer_bytes:
                    return Refusal(BAD_ANSWER, f"The answer has more than {service.max_answer_bytes} bytes.")
                parts.append(part)
            # Also a header, such as a request's id, may repeat the key; what does is left out.
            headers = {name: value for name, value in response.headers.items() if not service.holds_secret(value)}
            return Answer(response.status_code, headers, b"".join(parts))

    def _pays(self, call: Call) -> bool:
        return call.paid and not self.service.local

    def _failure(self, call: Call, refusal: Refusal, request_id: str | None) -> ProviderError:
        service = self.service
        said = service.without_secrets(refusal.said)
        if request_id is not None and service.holds_secret(request_id):
            request_id = None
        # The path of a service's own URL may hold a signature; ours holds a route.
        route = call.path if "://" not in call.path else "its own address"
        code = refusal.kind.code
        _log.warning("provider %s: %s %s: %s, request id %s", service.name, call.method, route, code, request_id)
        return failure(
            refusal.kind,
            service.name,
            said=said,
            request_id=request_id,
            retry_after_seconds=refusal.retry_after_seconds,
        )
