"""Finding addresses."""

import pytest

from worker.resolver import SystemResolver


async def test_names_and_addresses_are_found_once_each() -> None:
    resolver = SystemResolver()
    found = await resolver.resolve("localhost", 80)
    assert found
    assert set(found) <= {"127.0.0.1", "::1"}
    assert len(found) == len(set(found))
    assert await resolver.resolve("192.0.2.7", 443) == ["192.0.2.7"]
    resolver.close()


@pytest.mark.parametrize("name", ["nowhere.invalid", "a" * 64 + ".invalid", "a..b"])
async def test_what_stands_for_nothing_is_an_error_of_the_network(name: str) -> None:
    resolver = SystemResolver()
    with pytest.raises(OSError, match=r"\S"):
        await resolver.resolve(name, 80)
    resolver.close()
