"""What the README shows runs as it is printed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.helpers.server import ROOT, running

_ADDRESS = "http://127.0.0.1:8000"


def example(heading: str) -> str:
    """Return the first shell example below a heading."""
    text = (ROOT / "README.md").read_text("utf-8")
    found = re.search(rf"^{re.escape(heading)}$.*?^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found.group(1)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.slow
def test_streams_are_followed_with_curl(tmp_path: Path) -> None:
    script = example("### Live")
    assert script.count(_ADDRESS) == 2
    with running(tmp_path) as server:
        client = server.client().sign_up()
        task = client.generate(client.project(), "a friendly slime")["task"]["id"]
        script = script.replace(_ADDRESS, server.address)
        told = subprocess.run(
            ["/bin/sh", "-euc", script],
            env={"TOKEN": str(client.token), "TASK": task, "PATH": "/usr/local/bin:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout
    events, _, parts = told.partition("event: complete\ndata:\n\n")
    assert '"status":"COMPLETED"' in events
    assert '{"payload":{"data":{"taskProgress":' in parts
    assert '"status":"COMPLETED"' in parts
    assert parts.rstrip().endswith("--graphql--")
