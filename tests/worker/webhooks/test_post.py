"""One message on the wire: signed, to the checked address only, and judged by what comes back."""

import asyncio
import ssl
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from standardwebhooks import WebhookVerificationError

from domain.webhooks.attempts import Answer, Attempt
from tests.helpers.certificate import CERTIFICATE, KEY
from tests.helpers.receiver import listening, receiving
from worker.webhooks.post import Poster, trusted_authorities
from worker.webhooks.signature import signed_headers

NEW, OLD = "whsec_" + "bmV3" * 11, "whsec_" + "b2xk" * 11
NOW = datetime(2026, 12, 1, 12, 0, 0, 999_999, tzinfo=UTC)
BODY = '{"type":"task.completed","data":{"message":"一个史莱姆 👾"}}'


class Names:
    """A resolver whose answers may change from one question to the next."""

    def __init__(self, **names: Sequence[Sequence[str]]) -> None:
        self.answers = {name.replace("_", "."): list(answers) for name, answers in names.items()}
        self.asked: list[str] = []

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        answers = self.answers.get(host)
        if not answers:
            raise OSError(host)
        return answers.pop(0) if len(answers) > 1 else answers[0]


def attempt_at(url: str, *secrets: str) -> Attempt:
    return Attempt("msg_1", "whk_1", url, secrets or (NEW,), "task.completed", BODY, 1, 1)


def poster(names: Names | None = None, *, private: bool = True, seconds: float = 10) -> Poster:
    return Poster((names or Names()).resolve, trusted_authorities(), private=private, timeout_seconds=seconds)


@pytest.fixture
def tls(tmp_path: Path) -> ssl.SSLContext:
    path = tmp_path / "receiver.pem"
    path.write_text(CERTIFICATE + KEY)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


def test_a_signature_is_that_of_the_published_scheme() -> None:
    secret, body = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3", '{"type":"video.completed","data":{"id":"v1"}}'
    headers = signed_headers("msg_1", body, datetime.fromtimestamp(1767323045, UTC), [secret])
    assert headers == {
        "webhook-id": "msg_1",
        "webhook-timestamp": "1767323045",
        "webhook-signature": "v1,kQb15pKkDvyW73SACtqCtBneNcZip7hNvXRfgd00Dv4=",
    }


async def test_a_message_is_a_signed_post_that_the_library_verifies() -> None:
    async with receiving() as receiver:
        assert await poster().post(attempt_at(receiver.url, NEW, OLD), NOW) == Answer(200, None)
    [request] = receiver.requests
    assert request.line == "POST /hook?of=studio HTTP/1.1"
    assert (request.headers["host"], request.headers["content-type"]) == (
        f"127.0.0.1:{receiver.port}",
        "application/json",
    )
    assert (request.body, request.message_id) == (BODY, "msg_1")
    for secret in (NEW, OLD):
        assert request.verified(secret)["data"]["message"] == "一个史莱姆 👾"
    with pytest.raises(WebhookVerificationError):
        request.verified("whsec_" + "b3Ro" * 11)
    assert not {"cookie", "authorization"} & request.headers.keys()


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
async def test_every_2xx_is_a_success(status: int) -> None:
    async with receiving(status) as receiver:
        assert await poster().post(attempt_at(receiver.url), NOW) == Answer(status, None)


@pytest.mark.parametrize("status", [400, 404, 410, 429, 500, 503])
async def test_other_answers_are_failures_with_their_status(status: int) -> None:
    async with receiving(status) as receiver:
        answer = await poster().post(attempt_at(receiver.url), NOW)
    assert answer.status == status
    assert answer.error is not None
    assert str(status) in answer.error


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_failures_and_are_not_followed(status: int) -> None:
    async with receiving() as elsewhere:
        head = f"HTTP/1.1 {status} Found\r\nlocation: {elsewhere.url}\r\ncontent-length: 0\r\n\r\n"
        async with receiving(head.encode()) as receiver:
            answer = await poster().post(attempt_at(receiver.url), NOW)
    assert (answer.status, "not followed" in str(answer.error)) == (status, True)
    assert elsewhere.requests == []


async def test_a_receiver_that_does_not_answer_in_time_has_failed() -> None:
    async with receiving(asyncio.Event()) as receiver:
        answer = await poster(seconds=0.3).post(attempt_at(receiver.url), NOW)
    assert answer == Answer(None, "There was no answer within 0.3 s.")


async def test_a_receiver_that_drips_its_answer_is_not_waited_for() -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for letter in b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 1000:
            writer.write(bytes([letter]))
            await writer.drain()
            await asyncio.sleep(0.02)

    async with listening(drip) as port:
        answer = await poster(seconds=0.3).post(attempt_at(f"http://127.0.0.1:{port}/"), NOW)
    assert answer == Answer(None, "There was no answer within 0.3 s.")


async def test_an_endless_body_is_not_read() -> None:
    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        while True:  # until the sender hangs up
            writer.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
            await writer.drain()

    async with listening(pour) as port:
        assert await poster().post(attempt_at(f"http://127.0.0.1:{port}/"), NOW) == Answer(200, None)


@pytest.mark.parametrize(
    "garbage", [b"", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 two hundred\r\n\r\n", b"\x00" * 100, b"HTTP/1.1 200 OK\r\nx"]
)
async def test_garbage_is_a_failure(garbage: bytes) -> None:
    async with receiving(garbage) as receiver:
        answer = await poster().post(attempt_at(receiver.url), NOW)
    assert (answer.status, answer.error) == (None, "What the receiver answered is not HTTP, or broke off.")


async def test_nobody_listening_is_a_failure() -> None:
    async with receiving() as receiver:
        url = receiver.url
    assert await poster().post(attempt_at(url), NOW) == Answer(None, "The connection was refused or could not be made.")


async def test_a_name_is_looked_up_once_and_its_checked_address_is_connected_to() -> None:
    async with receiving() as receiver:
        names = Names(receiver_test=[["127.0.0.1"], ["127.0.0.2"]])
        url = f"http://receiver.test:{receiver.port}/hook"
        assert await poster(names).post(attempt_at(url), NOW) == Answer(200, None)
    assert names.asked == ["receiver.test"]
    assert receiver.requests[0].headers["host"] == f"receiver.test:{receiver.port}"


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["1.1.1.1", "127.0.0.1"], ["::ffff:127.0.0.1"], ["::1"]])
async def test_a_name_that_has_become_private_is_not_connected_to(addresses: list[str]) -> None:
    async with receiving() as receiver:
        names = Names(rebound_test=[addresses])
        url = f"http://rebound.test:{receiver.port}/"
        answer = await poster(names, private=False).post(attempt_at(url), NOW)
    assert answer.status is None
    assert "private network" in str(answer.error)
    assert receiver.requests == []


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0177.0.0.1"])
async def test_private_addresses_in_a_row_are_not_connected_to(host: str) -> None:
    async with receiving() as receiver:
        answer = await poster(private=False).post(attempt_at(f"http://{host}:{receiver.port}/"), NOW)
    assert answer.status is None
    assert receiver.requests == []


async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with receiving() as proxy, receiving() as receiver:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert await poster().post(attempt_at(receiver.url), NOW) == Answer(200, None)
    assert (len(proxy.requests), len(receiver.requests)) == (0, 1)


async def test_the_next_address_is_tried_where_one_takes_no_connection() -> None:
    async with receiving() as receiver:
        names = Names(two_test=[["::1", "127.0.0.1"]])
        url = f"http://two.test:{receiver.port}/"
        assert await poster(names).post(attempt_at(url), NOW) == Answer(200, None)
    assert len(receiver.requests) == 1


async def test_tls_is_with_the_name_and_not_with_the_address(tls: ssl.SSLContext) -> None:
    asked_for: list[str | None] = []
    tls.sni_callback = lambda _, name, __: asked_for.append(name)
    trusted = ssl.create_default_context(cadata=CERTIFICATE)
    async with receiving(tls=tls) as receiver:
        names = Names(receiver_test=[["127.0.0.1"]], other_test=[["127.0.0.1"]])
        known = Poster(names.resolve, trusted, private=True)
        url = f"https://receiver.test:{receiver.port}/"
        assert await known.post(attempt_at(url), NOW) == Answer(200, None)
        wrong_name = await known.post(attempt_at(f"https://other.test:{receiver.port}/"), NOW)
        wrong_authority = await poster(names).post(attempt_at(url), NOW)
    assert asked_for == ["receiver.test", "other.test", "receiver.test"]
    for answer in (wrong_name, wrong_authority):
        assert answer.status is None
        assert "certificate" in str(answer.error)
    assert len(receiver.requests) == 1


async def test_a_wait_that_is_asked_for_reaches_the_schedule() -> None:
    head = b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 77\r\ncontent-length: 0\r\n\r\n"
    async with receiving(head) as receiver:
        answer = await poster().post(attempt_at(receiver.url), NOW)
    assert (answer.status, answer.retry_after_seconds) == (429, 77)
