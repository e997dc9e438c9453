"""One request to a service: what comes back, what is sent again, and what never is."""

import asyncio
import logging

import pytest

from tests.helpers.clients import KEY, Seconds, client_of
from tests.helpers.service import Reply, scripted
from worker.providers.base import ProviderError
from worker.providers.http.call import Call
from worker.providers.http.client import HttpClient
from worker.providers.http.service import Times

PAID = Call("POST", "/make", json={"prompt": "a kite"}, paid=True)
FREE = Call("POST", "/make", json={"prompt": "a kite"})
GET = Call("GET", "/jobs/1")


async def refused(client: HttpClient, call: Call) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await client.send(call)
    return caught.value


async def test_a_request_carries_the_key_and_comes_back_whole() -> None:
    async with (
        scripted(Reply(200, {"ok": True}, {"X-Request-Id": "req_1"})) as service,
        client_of(service.url) as client,
    ):
        answer = await client.send(PAID)
    assert (answer.status, answer.json(), answer.request_id) == (200, {"ok": True}, "req_1")
    [request] = service.requests
    assert (request.method, request.path, request.json()) == ("POST", "/make", {"prompt": "a kite"})
    assert request.headers["authorization"] == f"Bearer {KEY}"


async def test_a_form_is_sent_as_multipart() -> None:
    call = Call("POST", "/edit", form={"prompt": "红色 kite"}, files=[("image[]", "a.png", b"\x89PNG", "image/png")])
    async with scripted() as service, client_of(service.url) as client:
        await client.send(call)
    assert service.requests[0].form() == {"prompt": ["红色 kite".encode()], "image[]": [b"\x89PNG"]}


async def test_connections_are_used_again() -> None:
    async with scripted() as service, client_of(service.url) as client:
        for _ in range(5):
            await client.send(GET)
    assert (len(service.requests), service.connections) == (5, 1)


@pytest.mark.parametrize(
    ("status", "code", "retryable", "unpaid", "sent"),
    [
        (400, "PROVIDER_INVALID_REQUEST", False, True, 1),
        (401, "PROVIDER_AUTH", False, True, 1),
        (402, "PROVIDER_QUOTA", False, True, 1),
        (403, "PROVIDER_AUTH", False, True, 1),
        (404, "PROVIDER_INVALID_REQUEST", False, True, 1),
        (422, "PROVIDER_INVALID_REQUEST", False, True, 1),
        (302, "PROVIDER_BAD_ANSWER", True, False, 1),
        (408, "PROVIDER_UNAVAILABLE", True, True, 3),
        (429, "PROVIDER_RATE_LIMITED", True, True, 3),
        (503, "PROVIDER_UNAVAILABLE", True, True, 3),
        # Whether something was made, and charged, stays open: never sent again.
        (500, "PROVIDER_OUTCOME_UNKNOWN", False, False, 1),
        (502, "PROVIDER_OUTCOME_UNKNOWN", False, False, 1),
        (504, "PROVIDER_OUTCOME_UNKNOWN", False, False, 1),
        (524, "PROVIDER_OUTCOME_UNKNOWN", False, False, 1),
    ],
)
async def test_every_status_has_its_class(status: int, code: str, *, retryable: bool, unpaid: bool, sent: int) -> None:
    async with scripted(otherwise=lambda _: Reply(status)) as service, client_of(service.url) as client:
        error = await refused(client, PAID)
    assert (error.code, error.retryable, error.unpaid, len(service.requests)) == (code, retryable, unpaid, sent)


@pytest.mark.parametrize("status", [500, 502, 503, 504])
@pytest.mark.parametrize(("call", "local"), [(GET, False), (PAID, True), (FREE, False)])
async def test_what_costs_nothing_is_sent_again(status: int, call: Call, *, local: bool) -> None:
    async with scripted(Reply(status), Reply(status)) as service, client_of(service.url, local=local) as client:
        assert (await client.send(call)).status == 200
    assert len(service.requests) == 3


async def test_a_failure_tells_the_request_id_and_the_services_words_and_no_secret(
    caplog: pytest.LogCaptureFixture,
) -> None:
    said = f"Bad\x00 size.\nYour key {KEY} is fine. " + "x" * 1000
    async with (
        scripted(Reply(400, said, {"x-request-id": "req_42"})) as service,
        client_of(service.url) as client,
    ):
        with caplog.at_level(logging.DEBUG):
            error = await refused(client, PAID)
    assert error.request_id == "req_42"
    assert 'test does not take this request. It said: "Bad size. Your key *** is fine. xxx' in error.message
    assert error.message.endswith("Its request id: req_42.")
    assert len(error.message) < 500
    assert "req_42" in caplog.text
    assert KEY not in caplog.text + error.message


async def test_a_request_id_that_is_none_is_left_out() -> None:
    async with scripted(Reply(400, "no", {"x-request-id": "<script>"})) as service, client_of(service.url) as client:
        assert (await refused(client, PAID)).request_id is None


async def test_waits_double_at_most_and_are_drawn_from_the_whole_span() -> None:
    seconds = Seconds()
    async with (
        scripted(otherwise=lambda _: Reply(429)) as service,
        client_of(service.url, seconds, retries=6) as client,
    ):
        await refused(client, PAID)
    assert seconds.slept == [0.25, 0.5, 1.0, 2.0, 4.0, 4.0]


async def test_the_wait_that_is_asked_for_is_kept_and_holds_up_everybody_with_this_key() -> None:
    seconds = Seconds()
    async with (
        scripted(Reply(429, headers={"retry-after": "7"})) as service,
        client_of(service.url, seconds) as client,
    ):
        await client.send(PAID)
    assert seconds.slept == [7.5]
    assert len(service.requests) == 2


async def test_a_wait_in_milliseconds_comes_first() -> None:
    seconds = Seconds()
    headers = {"retry-after-ms": "1500", "retry-after": "60"}
    async with scripted(Reply(429, headers=headers)) as service, client_of(service.url, seconds) as client:
        await client.send(PAID)
    assert seconds.slept == [2.0]


async def test_a_wait_that_is_too_long_is_a_failure_that_tells_it() -> None:
    async with scripted(Reply(429, headers={"retry-after": "121"})) as service, client_of(service.url) as client:
        error = await refused(client, PAID)
    assert (error.code, error.retry_after_seconds, len(service.requests)) == ("PROVIDER_RATE_LIMITED", 121, 1)


async def test_a_storm_of_429_is_met_with_few_requests() -> None:
    async with (
        scripted(otherwise=lambda _: Reply(429, headers={"retry-after": "1"})) as service,
        client_of(service.url) as client,
    ):
        errors = await asyncio.gather(*(refused(client, PAID) for _ in range(20)))
    assert {error.code for error in errors} == {"PROVIDER_RATE_LIMITED"}
    assert len(service.requests) == 60
    assert service.busiest <= 4


@pytest.mark.parametrize(
    "garbage",
    [
        b"",
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 two hundred\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\ncut short",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\ncut",
    ],
)
@pytest.mark.parametrize(
    ("call", "code", "sent"),
    [(PAID, "PROVIDER_OUTCOME_UNKNOWN", 1), (GET, "PROVIDER_UNAVAILABLE", 3), (FREE, "PROVIDER_UNAVAILABLE", 1)],
)
async def test_a_connection_that_breaks_leaves_a_paid_outcome_unknown(
    garbage: bytes, call: Call, code: str, sent: int
) -> None:
    async with scripted(otherwise=lambda _: garbage) as service, client_of(service.url) as client:
        error = await refused(client, call)
    assert (error.code, error.outcome_unknown, len(service.requests)) == (code, "UNKNOWN" in code, sent)


async def test_broken_compression_is_a_bad_answer() -> None:
    broken = Reply(200, b"this is not compressed", {"content-encoding": "gzip"})
    async with scripted(broken) as service, client_of(service.url) as client:
        assert (await refused(client, PAID)).code == "PROVIDER_BAD_ANSWER"


async def test_an_answer_that_is_too_large_is_cut_off() -> None:
    async with (
        scripted(Reply(200, b"x" * 100_001)) as service,
        client_of(service.url, max_answer_bytes=100_000) as client,
    ):
        error = await refused(client, PAID)
    assert error.code == "PROVIDER_BAD_ANSWER"
    assert "100000 bytes" in error.message


@pytest.mark.parametrize(
    ("call", "code"), [(PAID, "PROVIDER_OUTCOME_UNKNOWN"), (FREE, "PROVIDER_TIMEOUT"), (GET, "PROVIDER_TIMEOUT")]
)
async def test_silence_ends_by_the_total_time(call: Call, code: str) -> None:
    async with scripted() as service:
        service.script = [service.silent] * 3
        async with client_of(service.url, times=Times(connect=2, read=20, total=0.1)) as client:
            error = await refused(client, call)
        assert error.code == code
        await asyncio.wait_for(service.hung_up.wait(), 5)
    assert len(service.requests) == (3 if call is GET else 1)


async def test_an_answer_that_drips_ends_by_the_total_time_too() -> None:
    async def drip(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.01)

    async with scripted(drip) as service, client_of(service.url, times=Times(total=0.2)) as client:
        assert (await refused(client, PAID)).code == "PROVIDER_OUTCOME_UNKNOWN"


async def test_cancelling_a_call_closes_its_connection() -> None:
    async with scripted() as service:
        service.script = [service.silent]
        async with client_of(service.url) as client:
            call = asyncio.create_task(client.send(PAID))
            await service.arrival.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await asyncio.wait_for(service.hung_up.wait(), 5)
            # Its place is free again, and others are not disturbed.
            assert (await client.send(GET)).status == 200


async def test_what_goes_beside_the_limits_does_not_wait_for_a_place() -> None:
    async with scripted() as service:
        service.script = [service.silent] * 4
        async with client_of(service.url) as client:
            calls = [asyncio.create_task(client.send(PAID)) for _ in range(4)]
            while len(service.requests) < 4:
                await asyncio.sleep(0)
            assert (await client.send(Call("POST", "/interrupt", aside=True))).status == 200
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)


async def test_a_request_without_patience_neither_waits_for_a_place_nor_for_long_for_the_service() -> None:
    seconds = Seconds()
    call = Call("POST", "/jobs", json={}, paid=True, patience_seconds=3)
    async with scripted() as service, client_of(service.url, seconds) as client:
        service.script = [Reply(429, headers={"retry-after": "60"})]
        with pytest.raises(ProviderError) as caught:
            await client.send(call)
        assert (caught.value.code, caught.value.retry_after_seconds) == ("PROVIDER_RATE_LIMITED", 60)
        with pytest.raises(ProviderError) as paused:  # the key's requests pause meanwhile
            await client.send(call)
        assert (paused.value.code, paused.value.outcome_unknown) == ("PROVIDER_RATE_LIMITED", False)
        assert (len(service.requests), seconds.slept) == (1, [])
        seconds.now += 61
        service.script = [Reply(429, headers={"retry-after": "1"})]
        await client.send(call)
    assert len(service.requests) == 3
