"""A service that is down is found out once, not by every task."""

import asyncio
import socket
from collections.abc import Iterator

import pytest

from tests.helpers.clients import Seconds, client_of
from tests.helpers.service import Reply, scripted
from worker.providers.base import ProviderError
from worker.providers.health import Health
from worker.providers.http.call import Call
from worker.providers.http.client import HttpClient
from worker.providers.http.service import Times

PAID = Call("POST", "/make", json={}, paid=True)


async def refused(client: HttpClient) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await client.send(PAID)
    return caught.value


@pytest.fixture
def black_hole() -> Iterator[str]:
    """An address whose connections are never taken: its backlog is full."""
    with socket.socket() as listener, socket.socket() as first, socket.socket() as second:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for filler in (first, second):
            filler.settimeout(0)
            filler.connect_ex(listener.getsockname())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


async def test_one_refused_connection_turns_the_next_tasks_away_at_once() -> None:
    async with scripted() as service:
        url = service.url
    seconds = Seconds()
    health = Health(clock=seconds)
    async with client_of(url, seconds, health=health) as client:
        first = await refused(client)
        assert (first.code, first.unpaid, first.retryable) == ("PROVIDER_UNAVAILABLE", True, True)
        assert health.unavailable_reason == "The service could not be reached."
        assert "could not be reached" in (await refused(client)).message


async def test_a_dead_service_costs_its_connect_timeout_once(black_hole: str) -> None:
    seconds = Seconds()
    loop = asyncio.get_running_loop()
    async with client_of(black_hole, seconds, times=Times(connect=0.3, total=20)) as client:
        began = loop.time()
        errors = [await refused(client) for _ in range(50)]
        took = loop.time() - began
    assert {error.code for error in errors} == {"PROVIDER_UNAVAILABLE"}
    assert 0.25 < took < 2  # fifty times the timeout would be fifteen seconds


async def test_tasks_that_wait_for_a_place_learn_it_too(black_hole: str) -> None:
    loop = asyncio.get_running_loop()
    async with client_of(black_hole, times=Times(connect=0.3, total=20)) as client:
        began = loop.time()
        await asyncio.gather(*(refused(client) for _ in range(40)))  # of which four have a place at a time
        assert loop.time() - began < 2


async def test_after_the_break_one_request_is_the_probe_and_success_ends_it() -> None:
    seconds = Seconds()
    health = Health(clock=seconds)
    health.failed("down", at_once=True)
    async with scripted() as service:
        service.script = [service.silent]
        async with client_of(service.url, seconds, health=health) as client:
            await refused(client)
            assert service.requests == []
            seconds.now += 31
            probe = asyncio.create_task(client.send(PAID))
            await service.arrival.wait()
            await refused(client)  # while the probe is on its way
            assert len(service.requests) == 1
            probe.cancel()
            await asyncio.gather(probe, return_exceptions=True)
            assert (await client.send(PAID)).status == 200  # a probe that told nothing is followed by the next
            assert health.unavailable_reason is None


async def test_breaks_grow_while_probes_fail_and_shrink_with_success() -> None:
    seconds = Seconds()
    health = Health(clock=seconds)
    spans = []
    for _ in range(6):
        health.failed("down", at_once=True)
        began = seconds.now
        while health.unavailable_reason:
            seconds.now += 1
        spans.append(seconds.now - began)
        assert health.admit() is None
    assert spans == [30, 60, 120, 240, 300, 300]
    health.succeeded()
    health.failed("down", at_once=True)
    seconds.now += 30
    assert health.unavailable_reason is None


async def test_errors_of_its_own_count_as_down_only_when_they_come_in_a_row() -> None:
    health = Health(clock=Seconds())
    async with scripted() as service, client_of(service.url, health=health) as client:
        for _ in range(3):
            service.script = [*[Reply(500)] * 4, Reply(200)]
            for _ in range(4):
                await refused(client)
            await client.send(PAID)
        service.script = [*[Reply(500)] * 5]
        for _ in range(5):
            await refused(client)
        assert health.unavailable_reason == "The service answers with errors of its own."


@pytest.mark.parametrize("status", [401, 402, 403])
async def test_a_key_that_is_refused_is_not_shown_around(status: int) -> None:
    health = Health(clock=Seconds())
    async with scripted(Reply(status)) as service, client_of(service.url, health=health) as client:
        await refused(client)
        assert (await refused(client)).code == "PROVIDER_UNAVAILABLE"
    assert len(service.requests) == 1
    assert "turned away" in str(health.unavailable_reason)


@pytest.mark.parametrize("status", [400, 404, 422, 429])
async def test_what_is_wrong_with_a_request_says_nothing_of_the_service(status: int) -> None:
    health = Health(clock=Seconds())
    async with scripted(otherwise=lambda _: Reply(status)) as service, client_of(service.url, health=health) as client:
        for _ in range(8):
            await refused(client)
    assert health.unavailable_reason is None


def test_what_is_not_set_up_never_becomes_available() -> None:
    seconds = Seconds()
    health = Health(misconfigured="There is no key.", clock=seconds)
    health.succeeded()
    seconds.now += 1e6
    assert (health.unavailable_reason, health.admit()) == ("There is no key.", "There is no key.")
