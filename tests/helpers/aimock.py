"""aimock: a server of OpenAI's and Ark's APIs that others have written, answering what a test gives it."""

import contextlib
import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx

_PROGRAM = Path(__file__).parents[1] / "clients/node_modules/@copilotkit/aimock/dist/cli.js"


@contextlib.contextmanager
def running_aimock(fixtures: Sequence[dict[str, Any]], folder: Path) -> Iterator[str]:
    """Run it until the context ends; yields its address, without a path. The first fixture that matches counts."""
    node = shutil.which("node", path=Path(sys.executable).parent)
    assert node is not None
    assert _PROGRAM.is_file(), "run make test-clients, which installs it"
    file = folder / "fixtures.json"
    file.write_text(json.dumps({"fixtures": list(fixtures)}))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [node, str(_PROGRAM), "-p", str(port), "-h", "127.0.0.1", "-f", str(file), "--strict"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(f"http://127.0.0.1:{port}/v1/models", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        assert process.poll() is None, "aimock has ended"
        with contextlib.suppress(httpx.TransportError):
            httpx.get(url)
            return
        time.sleep(0.1)
    raise AssertionError("aimock does not answer")
