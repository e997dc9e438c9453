import asyncio
import subprocess
import sys

import pytest
from tortoise import fields

from domain.migration_changes import missing_operations
from domain.models.projects import Project
from tests.helpers.source import ROOT


async def test_the_migrations_say_what_the_models_say() -> None:
    assert await missing_operations() == []


async def test_a_model_that_no_migration_knows_yet_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Project._meta.fields_map, "shelf", fields.CharField(max_length=8, null=True))
    assert await missing_operations() == ["AddField Project"]


async def test_the_command_writes_nothing_when_there_is_nothing_to_write() -> None:
    before = sorted((ROOT / "domain" / "migrations").glob("*.py"))
    run = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "domain.migration_changes"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert run.stdout == "The migrations say what the models say.\n"
    assert sorted((ROOT / "domain" / "migrations").glob("*.py")) == before
