"""Under which names a real browser and curl save files, in every language and however ill-meant."""

import asyncio
import json
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import uvicorn
from starlette.applications import Starlette

from domain.clock import SystemClock
from domain.storage.local import LocalStorage
from domain.storage.signing import UrlSigner
from server.files import file_routes

SCRIPTS = Path(__file__).parent
#: What a file is called, what a browser makes of it, and what curl does, which reads the plain name only.
NAMES = [
    ("hero sheet.zip", "hero sheet.zip", "hero sheet.zip"),
    ("史莱姆 🎮.zip", "史莱姆 🎮.zip", "___ _.zip"),
    ("שלום עולם.zip", "שלום עולם.zip", "____ ____.zip"),
    ('it\'s "quoted".zip', "it's _quoted_.zip", "it's _quoted_.zip"),
    ("semi;colon=;.zip", "semi;colon=;.zip", "semi;colon=;.zip"),
    ("100%25 %41.zip", "100%25 %41.zip", "100_25 _41.zip"),
    ("../..\\up.zip", "_.._up.zip", ".._.._up.zip"),
    ("cr\r\nSet-Cookie- x.zip", "cr__Set-Cookie- x.zip", "cr__Set-Cookie- x.zip"),
    ("cute\u202epiz.exe", "cute_piz.exe", "cute_piz.exe"),
    ("..", "download", "download"),
    ("名" * 80 + ".zip", "名" * 80 + ".zip", "_" * 80 + ".zip"),
]


@pytest.fixture
async def addresses(tmp_path: Path) -> AsyncIterator[list[str]]:
    """The addresses of one file under each name, at a running server."""
    signer = UrlSigner(b"k" * 32, SystemClock(), 3600)
    storage = LocalStorage(tmp_path / "files", signer)
    await storage.put("users/u/x", b"content", "application/zip")
    listener = socket.create_server(("127.0.0.1", 0))
    base = f"http://127.0.0.1:{listener.getsockname()[1]}"
    config = uvicorn.Config(Starlette(routes=file_routes(storage, signer)), log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve([listener]))
    async with asyncio.timeout(10):
        while not server.started:
            await asyncio.sleep(0.01)
    yield [base + signer.sign("users/u/x", "application/zip", name) for name, _, _ in NAMES]
    server.should_exit = True
    await serving
    await storage.close()


@pytest.mark.browser
async def test_a_browser_saves_files_under_their_names(addresses: list[str]) -> None:
    node = shutil.which("node", path=Path(sys.executable).parent)
    assert node is not None
    base = addresses[0].partition("/files/")[0]
    command = [node, "downloads.mjs", "--base", base, "--addresses", json.dumps(addresses)]
    run = await asyncio.to_thread(
        subprocess.run, command, cwd=SCRIPTS, capture_output=True, text=True, timeout=110, check=False
    )
    assert run.stdout, run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    assert found["failures"] == []
    assert found["names"] == [shown for _, shown, _ in NAMES]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
async def test_curl_saves_files_inside_its_folder(addresses: list[str], tmp_path: Path) -> None:
    for number, address in enumerate(addresses):
        folder = tmp_path / f"saved-{number}"
        folder.mkdir()
        command = ["curl", "--silent", "--show-error", "--remote-name", "--remote-header-name", address]
        await asyncio.to_thread(subprocess.run, command, cwd=folder, timeout=20, check=True)
        assert [path.name for path in folder.iterdir()] == [NAMES[number][2]]
