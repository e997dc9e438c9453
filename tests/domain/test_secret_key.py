"""The secret that signs everything."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import SecretStr

from domain.errors import SettingsError
from domain.secret_key import FILE_NAME, derive_key, load_secret_key
from domain.settings import Settings


def test_a_secret_that_is_set_is_taken_and_none_is_made(settings: Settings) -> None:
    given = settings.model_copy(update={"secret_key": SecretStr("ключ-🔑" * 5)})
    assert load_secret_key(given) == ("ключ-🔑" * 5).encode()
    assert not settings.data_dir.exists()


def test_the_first_start_makes_a_secret_that_later_starts_find(settings: Settings) -> None:
    secret = load_secret_key(settings)
    assert len(secret) >= 32
    assert load_secret_key(settings) == secret
    assert (settings.data_dir / FILE_NAME).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in settings.data_dir.iterdir()] == [FILE_NAME]


def test_two_servers_have_two_secrets(settings: Settings, tmp_path: Path) -> None:
    other = settings.model_copy(update={"data_dir": tmp_path / "other"})
    assert load_secret_key(settings) != load_secret_key(other)


def test_starts_at_the_same_moment_agree(settings: Settings, tmp_path: Path) -> None:
    for number in range(20):
        folder = settings.model_copy(update={"data_dir": tmp_path / str(number)})
        barrier = threading.Barrier(8)

        def start(folder: Settings = folder, barrier: threading.Barrier = barrier) -> bytes:
            barrier.wait()
            return load_secret_key(folder)

        with ThreadPoolExecutor(8) as pool:
            secrets = {future.result() for future in [pool.submit(start) for _ in range(8)]}
        assert len(secrets) == 1
        assert [path.name for path in folder.data_dir.iterdir()] == [FILE_NAME]


def test_a_secret_that_others_may_read_is_closed_to_them(settings: Settings) -> None:
    load_secret_key(settings)
    path = settings.data_dir / FILE_NAME
    path.chmod(0o644)
    load_secret_key(settings)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"", b"\n", b"tiny"], ids=["empty", "line", "value"])
def test_a_damaged_secret_is_refused_and_kept_to_itself(settings: Settings, content: bytes) -> None:
    settings.data_dir.mkdir()
    (settings.data_dir / FILE_NAME).write_bytes(content)
    with pytest.raises(SettingsError, match="WONDER_SECRET_KEY") as caught:
        load_secret_key(settings)
    assert "tiny" not in str(caught.value)
    assert (settings.data_dir / FILE_NAME).read_bytes() == content


def test_a_folder_that_cannot_be_written_is_named(settings: Settings) -> None:
    settings.data_dir.write_text("a file where the folder should be")
    with pytest.raises(SettingsError, match="WONDER_DATA_DIR"):
        load_secret_key(settings)


def test_keys_differ_by_purpose_and_by_secret_and_stay_the_same() -> None:
    keys = {derive_key(secret, purpose) for secret in (b"a" * 32, b"b" * 32) for purpose in ("tokens", "files")}
    assert len(keys) == 4
    assert {len(key) for key in keys} == {32}
    assert derive_key(b"a" * 32, "tokens") == derive_key(b"a" * 32, "tokens")


def test_keys_are_those_of_hkdf() -> None:
    """RFC 5869 as OpenSSL and Node compute it: salt b"wonder", info b"tokens", 32 bytes."""
    assert derive_key(b"a" * 32, "tokens").hex() == "b24163059579e2244a67f493c4bcde52756091105653f522c0670fa6b0372dc4"
