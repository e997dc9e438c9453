"""Messages of services that sign them: where they are asked for, and how what comes is believed."""

import base64
import hashlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import SecretStr
from standardwebhooks import Webhook

from domain.callbacks import CallbackAddresses
from domain.provider_settings import ProviderEntry
from tests.conftest import MovableClock
from tests.helpers.clients import client_of, tls_of_nobody
from tests.helpers.fal_contract import KEY as FAL_KEY
from tests.helpers.fal_contract import FalContract
from tests.helpers.lives import Kind, contract_of, here, provider_of
from tests.helpers.replicate_contract import KEY as REPLICATE_KEY
from tests.helpers.replicate_contract import SECRET, ReplicateContract
from tests.helpers.requests import make_request, run_here
from tests.helpers.service import Reply, ScriptedService
from worker.callbacks.reader import Callback, CallbackReader, Message
from worker.providers.fal import queue
from worker.providers.hosted import HOSTED
from worker.providers.hosting import Parts
from worker.providers.http.download import Downloader

ADDRESSES = CallbackAddresses(b"k" * 32, "https://wonder.example")
REPLICATE = Kind("replicate-video", ReplicateContract, key=REPLICATE_KEY)
FAL = Kind("fal-video", FalContract, key=FAL_KEY)


@asynccontextmanager
async def reader_of(
    kind: Kind, service: ScriptedService, clock: MovableClock, **options: Any
) -> AsyncIterator[CallbackReader | None]:
    entry = ProviderEntry.model_validate({"name": kind.name, "type": kind.name, "options": options})
    hosted = HOSTED[kind.name]
    key = hosted.key(entry.model_copy(update={"key": SecretStr(kind.key)}), clock)
    async with client_of(service.url, name=kind.name, judge=key.judge, sign=key.headers, headers={}) as client:
        assert hosted.reader is not None
        yield hosted.reader(Parts(entry, client, Downloader(here, tls_of_nobody()), run_here, ADDRESSES))


@pytest.mark.parametrize("wanted", [True, False])
async def test_replicate_is_told_where_to_tell_of_the_end_when_that_is_wanted(*, wanted: bool) -> None:
    async with (
        contract_of(REPLICATE) as (service, contract),
        provider_of(REPLICATE, service, addresses=ADDRESSES, callbacks=wanted) as provider,
    ):
        body = contract.bodies[await provider.submit(make_request("VIDEO"), "job_1")]
    assert body.get("webhook") == (ADDRESSES.url("replicate-video", "job_1") if wanted else None)
    assert body.get("webhook_events_filter") == (["completed"] if wanted else None)


@pytest.mark.parametrize("wanted", [True, False])
async def test_fal_is_told_where_to_tell_of_the_end_when_that_is_wanted(*, wanted: bool) -> None:
    async with (
        contract_of(FAL) as (service, contract),
        provider_of(FAL, service, addresses=ADDRESSES, callbacks=wanted) as provider,
    ):
        body = contract.bodies[await provider.submit(make_request("VIDEO"), "job_1")]
    assert body["query"] == ({"fal_webhook": [ADDRESSES.url("fal-video", "job_1")]} if wanted else {})


async def test_a_message_of_replicate_is_believed_by_the_secret_that_it_tells(clock: MovableClock) -> None:
    said = json.dumps({"id": "rrr4z0", "status": "succeeded"})
    async with contract_of(REPLICATE) as (service, _), reader_of(REPLICATE, service, clock, callbacks=True) as reader:
        assert reader is not None
        signature = Webhook(SECRET).sign("msg_1", clock.now(), said)
        headers = {"webhook-id": "msg_1", "webhook-timestamp": str(int(clock.now().timestamp()))}
        signed = Message({**headers, "webhook-signature": signature}, said.encode())
        assert await reader.read(signed, clock.now()) == Callback(ended=True, external_id="rrr4z0")
        forged = Message({**headers, "webhook-signature": signature}, said.replace("0", "1").encode())
        assert await reader.read(forged, clock.now()) is None
    assert {request.path for request in service.requests} == {"/v1/webhooks/default/secret"}


async def test_a_message_of_fal_is_believed_by_keys_that_are_fetched_without_ours(
    clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = Ed25519PrivateKey.generate()
    public = base64.urlsafe_b64encode(key.public_key().public_bytes_raw()).decode().rstrip("=")
    body, at = b'{"request_id":"9f1e-0","status":"OK"}', str(int(clock.now().timestamp()))
    said = "\n".join(("9f1e-0", "user-1", at, hashlib.sha256(body).hexdigest())).encode()
    fields = {"request-id": "9f1e-0", "user-id": "user-1", "timestamp": at, "signature": key.sign(said).hex()}
    headers = {f"x-fal-webhook-{name}": value for name, value in fields.items()}
    async with contract_of(FAL) as (service, _), reader_of(FAL, service, clock, callbacks=True) as reader:
        assert reader is not None
        monkeypatch.setattr(queue, "KEYS_URL", f"{service.url}/.well-known/jwks.json")
        service.script = [Reply(200, {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": public}]})]
        # Its name of the job is not ours: the address that it came to is.
        assert await reader.read(Message(headers, body), clock.now()) == Callback(ended=True)
        assert await reader.read(Message(headers, body + b" "), clock.now()) is None
    assert FAL_KEY not in str(service.requests[0].headers)


@pytest.mark.parametrize("kind", [REPLICATE, FAL], ids=str)
async def test_nothing_is_read_where_it_was_not_asked_for(kind: Kind, clock: MovableClock) -> None:
    async with contract_of(kind) as (service, _), reader_of(kind, service, clock) as reader:
        assert reader is None
