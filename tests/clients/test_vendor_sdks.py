"""The contract servers, judged by the vendors' own SDKs: so the contracts are not only our idea of them."""

import asyncio
import json
import os
import ssl
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.ark_contract import KEY as ARK_KEY
from tests.helpers.ark_contract import ArkContract
from tests.helpers.certificate import LOCAL_CERTIFICATE, LOCAL_KEY
from tests.helpers.clients import KEY as GEMINI_KEY
from tests.helpers.dashscope_contract import KEY as DASH_KEY
from tests.helpers.dashscope_contract import DashScopeContract
from tests.helpers.fal_contract import KEY as FAL_KEY
from tests.helpers.fal_contract import FalContract
from tests.helpers.gemini_contract import gemini_contract
from tests.helpers.lives import CLIP
from tests.helpers.luma_contract import KEY as LUMA_KEY
from tests.helpers.luma_contract import LumaContract
from tests.helpers.painting import paint
from tests.helpers.replicate_contract import KEY as REPLICATE_KEY
from tests.helpers.replicate_contract import ReplicateContract
from tests.helpers.runway_contract import KEY as RUNWAY_KEY
from tests.helpers.runway_contract import RunwayContract
from tests.helpers.service import Reply, Request, scripted

pytestmark = pytest.mark.clients
SCRIPTS = Path(__file__).parent
PICTURE = paint("", 64, 64, transparent=False)
_JSON = {"content-type": "application/json"}
_REFUSED = 400


class Finishes:
    """Does what a contract says, and brings a job to its end when it has been asked about once."""

    def __init__(self, contract: Any, data: bytes) -> None:
        self._contract, self._data = contract, data
        self._seen: set[str] = set()

    def __call__(self, request: Request) -> Reply:
        answer = self._contract(request)
        asked = [job for job in self._contract.created if request.method == "GET" and _names(request, job)]
        for job in asked:
            if job not in self._seen and answer.status < _REFUSED and "gore" not in str(self._contract.bodies[job]):
                self._seen.add(job)
                answer = Reply(answer.status, answer.encoded().partition(b"\r\n\r\n")[2], _JSON)
                self._contract.finish(job, self._data)
        return answer


def _names(request: Request, job: str) -> bool:
    return job.rpartition("/")[2] in request.path.split("/")


async def used(
    tmp_path: Path, name: str, contract: Any, key: str, data: bytes = CLIP, *, tls: bool = False
) -> dict[str, Any]:
    """What a vendor's SDK has seen."""
    python = SCRIPTS / ".venv" / "bin" / "python"
    assert python.is_file(), "run make test-clients, which installs the SDKs"
    certificate, private = tmp_path / "certificate.pem", tmp_path / "key.pem"
    certificate.write_text(LOCAL_CERTIFICATE)
    private.write_text(LOCAL_KEY)
    context = None
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, private)
    environment = {**os.environ, "SSL_CERT_FILE": str(certificate), "REPLICATE_POLL_INTERVAL": "0.02"}
    for proxy in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        environment.pop(proxy, None)
    async with scripted(otherwise=contract, tls=context) as service:
        url = ""
        if hasattr(contract, "finish"):  # it makes jobs
            service.otherwise = Finishes(contract, data)
            url = contract.url = service.url
        command = [python, SCRIPTS / "vendor_sdks.py", name, service.url, key]
        run = await asyncio.to_thread(
            subprocess.run, command, env=environment, capture_output=True, text=True, timeout=90, check=False
        )
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    assert str(found["output"]).strip("[]'").startswith(url)
    return found


async def test_replicate(tmp_path: Path) -> None:
    contract = ReplicateContract()
    found = await used(tmp_path, "replicate", contract, REPLICATE_KEY, PICTURE)
    assert (found["account"], found["states"], found["cancelled"]) == ("acme", ["starting", "succeeded"], "canceled")
    assert found["schema"] == ["aspect_ratio", "num_outputs", "output_format", "prompt", "seed"]
    assert (found["refused"], found["wrong_key"]) == ("ReplicateError", "ReplicateError")
    assert found["file"].startswith(contract.url)
    assert (len(contract.created), len(contract.cancelled), len(contract.uploads)) == (2, 1, 1)


async def test_fal(tmp_path: Path) -> None:
    contract = FalContract()
    found = await used(tmp_path, "fal", contract, FAL_KEY, PICTURE, tls=True)
    assert (found["request_id"], found["states"]) == ("9f1e-0", ["Queued", "Completed"])
    assert (found["refused"], found["wrong_key"]) == ("FalClientHTTPError", "FalClientHTTPError")
    assert contract.cancelled == ["fal-ai/flux/requests/9f1e-1"]


async def test_runway(tmp_path: Path) -> None:
    contract = RunwayContract()
    found = await used(tmp_path, "runway", contract, RUNWAY_KEY)
    assert (found["credits"], found["states"]) == (100, ["PENDING", "SUCCEEDED"])
    assert (found["failure"], found["gone"]) == ("SAFETY.INPUT.TEXT", "NotFoundError")
    assert (found["refused"], found["wrong_key"]) == ("BadRequestError", "AuthenticationError")
    assert (len(contract.created), len(contract.cancelled)) == (3, 1)


async def test_luma(tmp_path: Path) -> None:
    found = await used(tmp_path, "luma", LumaContract(), LUMA_KEY)
    assert (found["states"], found["listed"], found["gone"]) == (["queued", "completed"], True, "NotFoundError")
    assert (found["refused"], found["wrong_key"]) == ("BadRequestError", "PermissionDeniedError")


async def test_ark(tmp_path: Path) -> None:
    found = await used(tmp_path, "ark", ArkContract(takes_null=True), ARK_KEY)
    assert (found["picture"], found["states"]) == ("ffd8ff", ["queued", "succeeded"])
    assert (found["cancelled"], found["refused"]) == ("cancelled", "ArkBadRequestError")
    assert found["wrong_key"] == "ArkAuthenticationError"


async def test_gemini(tmp_path: Path) -> None:
    found = await used(tmp_path, "gemini", gemini_contract, GEMINI_KEY)
    assert (found["output"], found["finished"], found["tokens"]) == ("89504e47", "STOP", 9)
    assert found["wrong_key"] == "ClientError"


async def test_dashscope(tmp_path: Path) -> None:
    found = await used(tmp_path, "dashscope", DashScopeContract(), DASH_KEY)
    assert (found["states"], found["cancelled"]) == (["PENDING", "PENDING", "SUCCEEDED"], 200)
    assert (found["refused"], found["wrong_key"]) == ([400, "DataInspectionFailed"], [401, "InvalidApiKey"])
