"""The API over a room of tasks, on each database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from domain.passwords import PasswordHasher
from domain.settings import Settings
from domain.uploads import InspectedImage
from tests.helpers.api import Api, make_api
from tests.helpers.room import Room
from worker.imaging.inspect import inspect_image


@pytest.fixture
def password_hasher(settings: Settings) -> Iterator[PasswordHasher]:
    hasher = PasswordHasher(settings.bcrypt_cost)
    yield hasher
    hasher.close()


async def _inspect(data: bytes) -> InspectedImage:
    return inspect_image(data)


@pytest.fixture
def api(room: Room, password_hasher: PasswordHasher, tmp_path: Path) -> Api:
    return make_api(room, password_hasher, _inspect, tmp_path / "files")
