"""`wonder demo` as `make demo` runs it."""

import json
import os
import pty
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from PIL import Image

PROGRAM = Path(sys.executable).with_name("wonder")


def environment() -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("WONDER_")}
    # Settings of another installation, which the demo must not touch.
    return own | {
        "WONDER_DATABASE_URL": "postgres://nobody@127.0.0.1:1/none",
        "WONDER_PUBLIC_URL": "https://other.example",
    }


@pytest.mark.slow
def test_it_makes_assets_tells_where_everything_is_and_works_twice(tmp_path: Path) -> None:
    output = tmp_path / "demo-output"
    run = subprocess.run(
        [PROGRAM, "demo"], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=90, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "100 %" in run.stdout
    assert "\x1b" not in run.stdout, "plain lines when nobody watches"
    account = json.loads((output / "account.json").read_text())
    assert stat.S_IMODE((output / "account.json").stat().st_mode) == 0o600
    assert account["email"] in run.stdout
    assert account["password"] in run.stdout
    address = address_in(run.stdout)
    assert f"{address}/graphql" in run.stdout
    with pytest.raises(httpx.ConnectError):
        httpx.get(address)  # the server was stopped

    # Again, for somebody who watches: the server stays until Ctrl-C.
    terminal, end = pty.openpty()
    demo = subprocess.Popen(
        [PROGRAM, "demo", "--port", "0"],
        cwd=tmp_path,
        env=environment(),
        stdout=end,
        # Whatever started the tests in the background may have had them ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 (it takes no lock)
    )
    os.close(end)
    shown = ""
    deadline = time.monotonic() + 90
    while "Ctrl-C" not in shown:
        assert time.monotonic() < deadline, shown
        shown += os.read(terminal, 4096).decode(errors="replace")
    assert "\r\x1b[2K" in shown, "a bar that moves"
    assert account["email"] in shown
    assert httpx.get(f"{address_in(shown)}/readyz").status_code == 200
    demo.send_signal(signal.SIGINT)
    assert demo.wait(90) == 0  # it gives the server a minute
    os.close(terminal)
    assert "Traceback" not in (output / "server.log").read_text()

    pictures = list((output / "assets").rglob("*.png"))
    assert len(pictures) >= 4, "a sprite and a sheet, twice"
    for path in pictures:
        with Image.open(path) as picture:
            picture.verify()


def address_in(text: str) -> str:
    found = re.search(r"Dashboard +(http://127\.0\.0\.1:\d+)/\s", text)
    assert found is not None
    return found[1]
