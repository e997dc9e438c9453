"""The program's commands, but for serving."""

import io
import logging
import os
import socket
import subprocess
import sys
from asyncio import to_thread
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from domain import db
from domain.kinds import Role
from domain.models.accounts import User
from domain.models.operations import AuditEntry
from server.cli import main
from tests.helpers.openai_contract import KEY, OpenAIContract
from tests.helpers.threads import served

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A working folder of its own, and the log as it was afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WONDER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("WONDER_BCRYPT_COST", "4")
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def test_the_schema_is_the_published_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert capsys.readouterr().out == (ROOT / "docs" / "schema.graphql").read_text("utf-8")


def test_settings_are_shown_without_secrets(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WONDER_SECRET_KEY", "s3cret" * 10)
    monkeypatch.setenv("WONDER_DATABASE_URL", "postgresql://ada:hunter2@db.example:5432/wonder?password=hunter2")
    monkeypatch.setenv("WONDER_ALLOWED_ORIGINS", "https://a.example, https://b.example")
    monkeypatch.setenv("WONDER_WORKRES", "5")
    monkeypatch.setenv("WONDER_ADMIN_PASSWORD", "no setting, and no slip")
    assert main(["check-config"]) == 0
    shown = capsys.readouterr()
    assert "s3cret" not in shown.out
    assert "hunter2" not in shown.out
    assert "WONDER_SECRET_KEY=(set)" in shown.out
    assert "WONDER_DATABASE_URL=postgres://ada@db.example:5432/wonder\n" in shown.out
    assert "WONDER_ALLOWED_ORIGINS=https://a.example, https://b.example\n" in shown.out
    assert shown.err == "wonder: WONDER_WORKRES is set, but there is no such setting.\n"


def test_a_setting_from_the_file_counts_and_the_environment_wins(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "no.env").write_text("WONDER_WORKERS=7\nWONDER_PORT=8111\n")  # the name that tests read
    monkeypatch.setenv("WONDER_PORT", "8222")
    assert main(["check-config"]) == 0
    shown = capsys.readouterr().out
    assert "WONDER_WORKERS=7\n" in shown
    assert "WONDER_PORT=8222\n" in shown


@pytest.mark.parametrize("command", ["check-config", "migrate", "serve"])
def test_a_wrong_setting_is_refused_by_its_name(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WONDER_WORKERS", "many")
    monkeypatch.setenv("WONDER_SECRET_KEY", "short")
    assert main([command]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "WONDER_WORKERS: " in shown.err
    assert "WONDER_SECRET_KEY: must be at least 32 bytes" in shown.err
    assert "many" not in shown.err


@pytest.mark.slow
def test_tables_are_brought_up_to_date_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["migrate"]) == 0
    assert capsys.readouterr().out.startswith("applied ")
    assert (tmp_path / "data" / "wonder.db").is_file()
    assert main(["migrate"]) == 0
    assert capsys.readouterr().out == "The tables are up to date.\n"


async def role_of(email: str, tmp_path: Path) -> Role:
    await db.connect(f"sqlite://{tmp_path / 'data' / 'wonder.db'}")
    try:
        return (await User.get(email=email)).role
    finally:
        await db.close()


@pytest.mark.usefixtures("migrated_data")
async def test_an_administrator_is_made_with_a_password_that_is_no_argument(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # In a thread, since the command runs a loop of its own.
    monkeypatch.setenv("WONDER_ADMIN_PASSWORD", "correct horse")
    assert await to_thread(main, ["create-admin", "--email", "Ada@Example.com"]) == 0
    assert capsys.readouterr().out.startswith("ada@example.com is an administrator. ")
    assert await role_of("ada@example.com", tmp_path) is Role.ADMIN
    monkeypatch.delenv("WONDER_ADMIN_PASSWORD")
    monkeypatch.setattr("sys.stdin", io.StringIO("battery staple\n"))
    assert await to_thread(main, ["create-admin", "--email", "eve@example.com"]) == 0
    assert await role_of("eve@example.com", tmp_path) is Role.ADMIN


@pytest.mark.usefixtures("migrated_data")
async def test_who_was_made_an_administrator_stands_in_the_audit_log(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WONDER_ADMIN_PASSWORD", "correct horse")
    for _ in range(2):
        assert await to_thread(main, ["create-admin", "--email", "ada@example.com"]) == 0
    await db.connect(f"sqlite://{tmp_path / 'data' / 'wonder.db'}")
    try:
        ada, entries = await User.get(email="ada@example.com"), await AuditEntry.all().order_by("at")
    finally:
        await db.close()
    assert [(entry.action, entry.user_id, entry.target) for entry in entries] == [("createAdmin", ada.id, ada.id)] * 2
    assert [entry.details for entry in entries] == [{"promoted": False}, {"promoted": True}]


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"wonder {version('wonder')}\n"


@pytest.mark.parametrize("lines", [0, 1])
def test_a_reader_that_has_enough_ends_a_command_without_a_word(lines: int, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; from server.cli import main; sys.exit(main())", "check-config"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    # A reader that is gone from the first moment, and one that goes after a line.
    with subprocess.Popen(
        [*command, "--offline"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=tmp_path
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        for _ in range(lines):
            running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
        # All that is printed may have fitted into the pipe before it was closed.
        assert running.wait(20) in ({141} if lines == 0 else {0, 141})


@pytest.mark.usefixtures("migrated_data")
def test_a_weak_password_is_refused_in_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("short\n"))
    assert main(["create-admin", "--email", "ada@example.com"]) == 1
    assert capsys.readouterr().err == "wonder: The password must be 8 to 72 bytes long in UTF-8.\n"


def test_a_database_out_of_reach_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WONDER_DATABASE_URL", "postgres://ada:hunter2@127.0.0.1:1/wonder")
    assert main(["migrate"]) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("wonder: The database or a file cannot be used: ")
    assert "hunter2" not in shown


def test_an_address_in_use_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", "--port", port]) == 2
    assert capsys.readouterr().err.startswith(f"wonder: Cannot listen on 127.0.0.1:{port}: ")


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["serve", "--port", "x"], ["create-admin"]])
def test_wrong_arguments_end_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: wonder" in capsys.readouterr().err


async def test_providers_and_their_keys_are_checked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    contract = OpenAIContract()
    with served(contract) as service:
        monkeypatch.setenv("WONDER_OPENAI_BASE_URL", f"{service.url}/v1")
        monkeypatch.setenv("WONDER_OPENAI_API_KEY", KEY)
        assert await to_thread(main, ["check-config"]) == 0
        assert "provider openai (unnamed): ready\nprovider builtin (procedural-1): ready\n" in capsys.readouterr().out
        monkeypatch.setenv("WONDER_OPENAI_API_KEY", "sk-wrong-0123456789")
        assert await to_thread(main, ["check-config"]) == 1
        shown = capsys.readouterr()
        assert "refuses this server's key" in shown.out
        assert "sk-wrong" not in shown.out + shown.err
        asked = len(service.requests)
        assert await to_thread(main, ["check-config", "--offline"]) == 0
        assert len(service.requests) == asked
    assert {request.path for request in service.requests} == {"/v1/models"}


def test_a_wrong_file_of_providers_keeps_commands_from_running(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "providers.toml"
    file.write_text('[[provider]]\nname = "x"\ntype = "openai"\n[provider.options]\nsizes = ["big"]')
    monkeypatch.setenv("WONDER_PROVIDERS_FILE", str(file))
    assert main(["check-config"]) == 2
    assert "provider x, options.sizes.0" in capsys.readouterr().err
