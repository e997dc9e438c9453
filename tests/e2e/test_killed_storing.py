"""A server that is killed at any step of storing and removing files loses nothing and leaves nothing."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from domain.storage.s3.options import S3Options
from tests.e2e.test_bucket import variables
from tests.helpers.file_trial import PHASES, VARIABLES, FileTrial, objects_in_bucket, objects_in_folder
from tests.helpers.seaweed import SeaweedServer
from tests.helpers.stepping import SteppingServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

#: Every so many-th step of a phase; `benchmarks/kills_of_files.py` takes them all.
EVERY = {"upload": 4, "generate": 17, "delete project": 7, "delete account": 8, "clean up": 7}


def test_a_folder(tmp_path: Path) -> None:
    _tried(SteppingServer(tmp_path, **VARIABLES), objects_in_folder(tmp_path / "data"))


def test_a_bucket(tmp_path: Path, s3_server: SeaweedServer, s3_options: S3Options) -> None:
    server = SteppingServer(tmp_path, **variables(s3_options, **VARIABLES))
    _tried(server, objects_in_bucket(s3_server, s3_options.bucket))


def _tried(server: SteppingServer, stored: Any) -> None:
    path = server.data_dir / "wonder.db"

    def rows(text: str) -> list[tuple[Any, ...]]:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            return connection.execute(text).fetchall()

    def change(text: str) -> None:
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(text)

    trial = FileTrial(server, stored, rows, change)
    trial.prepare()
    try:
        for phase in PHASES:
            assert trial.run(phase, range(2, 10_000, EVERY[phase])) > 0
        found = trial.judge()
        assert not any(found.values()), found
    finally:
        server.end()
