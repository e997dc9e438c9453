"""When there is a route for callbacks."""

from pathlib import Path

import httpx
import pytest

from domain.settings import Settings
from server.app import build_app
from server.wiring import Process


def entry_file(folder: Path, *lines: str) -> Path:
    file = folder / "providers.toml"
    file.write_text("\n".join(["[[provider]]", 'name = "films"', 'type = "seedance"', *lines]))
    return file


@pytest.mark.parametrize(
    ("public_url", "lines", "taken"),
    [
        ("https://wonder.example", ["options.callbacks = true"], True),
        ("", ["options.callbacks = true"], False),
        ("https://wonder.example", [], False),
    ],
)
async def test_the_door_is_there_only_where_the_server_has_an_address_and_a_service_is_to_use_it(
    settings: Settings, tmp_path: Path, public_url: str, lines: list[str], *, taken: bool
) -> None:
    update = {"public_url": public_url, "providers_file": entry_file(tmp_path, *lines)}
    process = Process(settings.model_copy(update=update))
    transport = httpx.ASGITransport(build_app(process))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        assert (process.callbacks is not None) is taken
        paths = {str(route.path) for route in build_app(process).routes if hasattr(route, "path")}
        assert ("/callbacks/{provider}/{job_id}" in paths) is taken
        assert (await client.post("/callbacks/films/job_1?token=x")).status_code == 404
