import asyncio
import importlib
import subprocess
import sys

import pytest
from tortoise import fields
from tortoise.migrations.operations import AddField

from domain.migration_changes import missing_operations
from domain.models.projects import Project
from tests.helpers.source import ROOT


async def test_the_migrations_say_what_the_models_say() -> None:
    assert await missing_operations() == []


async def test_a_model_that_no_migration_knows_yet_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Project._meta.fields_map, "shelf", fields.CharField(max_length=8, null=True))
    assert await missing_operations() == ["AddField Project"]


async def test_every_migration_follows_on_exactly_one() -> None:
    names = sorted(path.stem for path in (ROOT / "domain" / "migrations").glob("0*.py"))
    parents = [importlib.import_module(f"domain.migrations.{name}").Migration.dependencies for name in names]
    assert [len(found) for found in parents] == [0] + [1] * (len(names) - 1)
    assert len({found[0][1] for found in parents[1:]}) == len(names) - 1, "two follow on the same one"


async def test_a_column_added_to_a_table_with_rows_has_a_value_for_them() -> None:
    added = []
    for path in (ROOT / "domain" / "migrations").glob("0*.py"):
        migration = importlib.import_module(f"domain.migrations.{path.stem}").Migration
        added += [operation for operation in migration.operations if isinstance(operation, AddField)]
    assert added
    assert [
        f"{one.model_name}.{one.name} needs db_default"
        for one in added
        if not one.field.null and not one.field.has_db_default()
    ] == []


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
