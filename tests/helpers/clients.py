"""HTTP clients for services of tests: time that does not pass by itself, chance that is none."""

import contextlib
import ssl
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

from domain.clock import SystemClock
from worker.providers.health import Health
from worker.providers.http.answer import Answer
from worker.providers.http.client import HttpClient
from worker.providers.http.limiter import Limiter
from worker.providers.http.refusal import Refusal, refusal_by_status
from worker.providers.http.service import Service, Times

KEY = "sk-test-1234567890"


class Seconds:
    """A clock of seconds that moves when somebody sleeps, or when a test moves it."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def judged_by_status(answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
    return refusal_by_status(answer, paid=paid, said=answer.text(), now=now)


def tls_of_nobody() -> ssl.SSLContext:
    """A context that is quick to make: services of tests speak plain HTTP."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def make_client(url: str, seconds: Seconds | None = None, **fields: Any) -> HttpClient:
    """A client of a service at a URL; fields of `Service`, and `health` and `limiter`."""
    seconds = seconds or Seconds()
    health = fields.pop("health", None) or Health(clock=seconds)
    limiter = fields.pop("limiter", None) or Limiter(4, clock=seconds, sleep=seconds.sleep)
    defaults = {
        "name": "test",
        "judge": judged_by_status,
        "headers": {"authorization": f"Bearer {KEY}"},
        "secrets": (KEY,),
        "times": Times(connect=2, read=20, total=20),
    }
    service = Service(base_url=url, **{**defaults, **fields})
    return HttpClient(service, health, limiter, tls_of_nobody(), SystemClock(), sleep=seconds.sleep, chance=lambda: 0.5)


@contextlib.asynccontextmanager
async def client_of(url: str, seconds: Seconds | None = None, **fields: Any) -> AsyncIterator[HttpClient]:
    client = make_client(url, seconds, **fields)
    try:
        yield client
    finally:
        await client.aclose()
