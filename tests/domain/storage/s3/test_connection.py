"""Credentials that come from a program of the machine stay fresh, whatever that program says now and then."""

import asyncio
import json
import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from domain.storage.s3.connection import S3Connection
from domain.storage.s3.options import S3Options


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], object]:
    """What changes what the program says."""
    path = tmp_path / "said"
    config = tmp_path / "config"
    config.write_text(f"[default]\ncredential_process = cat {path}\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    return path.write_text


def _credentials(key: str) -> str:
    """Credentials that end so soon that new ones are asked for each time."""
    end = (datetime.now(UTC) + timedelta(minutes=1)).isoformat()
    return json.dumps(
        {"Version": 1, "AccessKeyId": key, "SecretAccessKey": "s", "SessionToken": "t", "Expiration": end}
    )


@pytest.mark.slow
@pytest.mark.parametrize("nonsense", ["{", "[]", '{"Version": 1}', '{"Version": 9}', "null", ""])
async def test_credentials_are_renewed_again_after_the_program_has_talked_nonsense(
    said: Callable[[str], object], nonsense: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "wonder.storage")
    said(_credentials("first"))
    connection = S3Connection(S3Options("bucket", "http://127.0.0.1:9"), renewal_seconds=0.01)
    await connection.client()
    assert connection.signing_key().access_key_id == "first"
    async with asyncio.timeout(10):
        said(nonsense)
        while "could not be renewed" not in caplog.text:
            await asyncio.sleep(0.01)
        said(_credentials("second"))
        while connection.signing_key().access_key_id != "second":
            await asyncio.sleep(0.01)
    await connection.close()
    assert "no longer renewed" not in caplog.text
