"""A whole process inside the test: what it answers around the API, and when it is ready."""

from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.types import Message, Receive, Scope, Send

from domain.errors import SettingsError
from domain.settings import Settings
from domain.storage.local import LocalStorage
from domain.storage.s3.options import S3Options
from domain.storage.s3.storage import S3Storage
from domain.storage.signing import UrlSigner
from server.app import build_app
from server.middleware import TrustedHosts
from server.pages import Page, content_security_policy, origin_of_files, page_routes
from server.wiring import Process
from tests.conftest import MovableClock

ORIGIN = "https://dashboard.example"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"image_processes": 1, "workers": 1, "allowed_origins": (ORIGIN,)})


def client_of(process: Process, host: str = "localhost") -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(build_app(process)), base_url=f"http://{host}")


async def _reached(_scope: Scope, _receive: Receive, _send: Send) -> None:
    pytest.fail("a request with such a host went through")


async def _nothing() -> Message:
    return {"type": "http.disconnect"}


@pytest.fixture
def process(settings: Settings) -> Process:
    """A process that has not been started: what is around the API needs neither rows nor workers."""
    return Process(settings)


@pytest.mark.usefixtures("migrated_data")
async def test_a_process_is_ready_while_it_runs_and_not_when_it_drains(settings: Settings) -> None:
    process = Process(settings, ready_seconds=0)
    async with client_of(process) as client:
        assert (await client.get("/healthz")).json() == {"status": "ok"}
        assert (await client.get("/readyz")).status_code == 503
        async with process.running():
            assert (await client.get("/readyz")).json() == {"status": "ready"}
            files = settings.data_dir / "files"
            files.rename(settings.data_dir / "gone")
            files.write_text("in the way")
            assert (await client.get("/readyz")).status_code == 503
            files.unlink()
            assert (await client.get("/readyz")).status_code == 200
            process.draining = True
            assert (await client.get("/readyz")).status_code == 503
        assert (await client.get("/readyz")).status_code == 503
        assert (await client.get("/healthz")).status_code == 200


@pytest.mark.slow
async def test_a_start_that_fails_leaves_nothing_behind(settings: Settings) -> None:
    closed = settings.model_copy(update={"auto_migrate": False})
    with pytest.raises(SettingsError, match="wonder migrate"):
        async with Process(closed).running():
            pass
    async with Process(settings).running():  # neither lock nor database is held
        with pytest.raises(SettingsError, match="another Wonder server"):
            async with Process(settings).running():
                pass


async def test_every_answer_has_an_id_and_safe_headers(process: Process, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "wonder.access")
    async with client_of(process) as client:
        paths = ("/healthz", "/graphql?token=geheim", "/files/x?signature=geheim", "/none")
        answers = [await client.get(path) for path in paths]
    ids = {answer.headers["x-request-id"] for answer in answers}
    assert len(ids) == len(answers)
    for answer in answers:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
    assert len([record for record in caplog.records if record.name == "wonder.access"]) == len(answers)
    assert "geheim" not in caplog.text
    assert "GET /files/x 404" in caplog.text


async def test_a_name_that_is_not_ours_gets_nothing(process: Process) -> None:
    for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "[::2]"):
        async with client_of(process, host) as client:
            answer = await client.get("/graphql", params={"query": "{ __typename }"})
            assert (answer.status_code, "__typename" in answer.text) == (400, False), host
    for host in ("localhost", "LOCALHOST:1234", "127.0.0.1:80", "[::1]", "[::1]:8000"):
        async with client_of(process, host) as client:
            assert (await client.get("/")).status_code == 200, host
    async with client_of(process, "10.1.2.3:8000") as client:  # what asks for health knows it by its address
        assert (await client.get("/healthz")).status_code == 200


@pytest.mark.parametrize(
    "hosts",
    [
        [],
        [""],
        ["localhost", "localhost"],
        ["localhost", "evil.example"],
        ["localhost@evil.example"],
        ["localhost:80@evil.example"],
        ["localhost:80/evil"],
        ["localhost:port"],
        ["localhost:"],
        ["localhost, evil.example"],
        ["[::1"],
        ["[::1]evil"],
        ["localhost\xff"],
    ],
)
@pytest.mark.parametrize("trusted", [(), ("*",)])
async def test_a_host_that_is_no_name_and_port_is_not_answered(
    settings: Settings, hosts: list[str], trusted: tuple[str, ...]
) -> None:
    app = TrustedHosts(_reached, settings.model_copy(update={"trusted_hosts": (*settings.trusted_hosts, *trusted)}))
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", host.encode("latin-1")) for host in hosts]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": headers}
    await app(scope, _nothing, send)
    assert [message["status"] for message in sent if "status" in message] == [400]


async def test_pages_of_allowed_origins_may_call_the_api(process: Process) -> None:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}
    async with client_of(process) as client:
        for origin, allowed in ((ORIGIN, True), ("https://evil.example", False)):
            preflight = await client.options("/graphql", headers={"Origin": origin, **asked})
            assert (preflight.headers.get("access-control-allow-origin") == origin) is allowed
            body = {"query": "{ __typename }"}
            answer = await client.post("/graphql", json=body, headers={"Origin": origin})
            assert (answer.status_code == 200) is allowed
            assert "access-control-allow-credentials" not in answer.headers


async def test_a_browser_gets_graphiql_and_programs_get_json(process: Process, settings: Settings) -> None:
    browser = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
    async with client_of(process) as client:
        page = await client.get("/graphql", headers=browser)
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
        assert "unsafe-eval" not in page.headers["content-security-policy"]
        assert (await client.get("/graphql")).json()["errors"][0]["extensions"]["code"] == "BAD_REQUEST"
        assert (await client.post("/graphql", json={"query": "{ __typename }"}, headers=browser)).status_code == 200
    hidden = Process(settings.model_copy(update={"graphiql": False, "data_dir": settings.data_dir / "other"}))
    async with client_of(hidden) as client:
        assert (await client.get("/graphql", headers=browser)).status_code == 400
        assert (await client.get("/graphql", headers={"Accept": "text/html"})).status_code == 406


def test_production_closes_what_was_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert (Settings().graphiql, Settings().introspection) == (True, True)
    monkeypatch.setenv("WONDER_PRODUCTION", "true")
    assert (Settings().graphiql, Settings().introspection) == (False, False)
    monkeypatch.setenv("WONDER_INTROSPECTION", "true")
    monkeypatch.setenv("WONDER_GRAPHIQL", "")
    assert (Settings().graphiql, Settings().introspection) == (False, True)


async def test_pages_that_were_not_built_say_how(tmp_path: Path) -> None:
    answer = await Page("graphiql.html", tmp_path).response({"type": "http", "headers": []})
    assert answer.status_code == 503
    assert b"make setup" in answer.body
    (tmp_path / "graphiql.html").write_text("<!doctype html>页面")
    answer = await Page("graphiql.html", tmp_path).response({"type": "http", "headers": [(b"host", b"localhost:1")]})
    assert (answer.status_code, bytes(answer.body).decode()) == (200, "<!doctype html>页面")
    assert "ws://localhost:1" in answer.headers["content-security-policy"]


def test_pages_may_show_files_from_where_clients_fetch_them(tmp_path: Path) -> None:
    local = LocalStorage(tmp_path, UrlSigner(b"k" * 32, MovableClock(), 60))
    assert origin_of_files(local, "") == ""
    assert "img-src 'self' data: blob:;" in content_security_policy("localhost", origin_of_files(local, ""))
    files = origin_of_files(local, "https://wonder.example.com")
    assert files == "https://wonder.example.com"
    policy = content_security_policy("localhost", files)
    assert f"img-src 'self' data: blob: {files};" in policy
    assert f"media-src 'self' blob: {files};" in policy
    assert "script-src 'self';" in policy


async def test_pages_may_show_files_of_a_bucket_or_a_cdn() -> None:
    options = S3Options(bucket="games", endpoint_url="https://s3.example.com", cdn_base_url="https://cdn.example.com/w")
    storage = S3Storage(options, MovableClock())
    assert origin_of_files(storage, "https://wonder.example.com") == "https://cdn.example.com"
    presigning = S3Storage(replace(options, cdn_base_url=""), MovableClock())
    assert origin_of_files(presigning, "") == "", "nothing is stored before the first use"


async def test_built_files_are_kept_by_browsers_and_nothing_else_is_served(tmp_path: Path) -> None:
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html>")
    (folder / "assets" / "main-abc123.js").write_text("1")
    (tmp_path / "secret.txt").write_text("geheim")
    transport = httpx.ASGITransport(Starlette(routes=page_routes(folder)))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        asset = await client.get("/static/assets/main-abc123.js")
        assert (asset.status_code, asset.text) == (200, "1")
        assert "immutable" in asset.headers["cache-control"]
        assert "javascript" in asset.headers["content-type"]
        assert (await client.get("/")).headers["cache-control"] == "no-cache"
        for path in ("/static/../secret.txt", "/static/%2e%2e/secret.txt", "/static/..%2fsecret.txt", "/static/"):
            assert (await client.get(path)).status_code == 404, path
