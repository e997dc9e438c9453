"""Presigned addresses are those of Signature Version 4, and survive clocks that differ."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from domain.clock import Clock, SystemClock
from domain.errors import StorageError
from domain.storage.s3.address import Lifetime, SigningKey, presigned
from domain.storage.s3.options import S3Options
from tests.conftest import MovableClock
from tests.domain.storage.s3.conftest import Open
from tests.helpers.seaweed import fetched

PNG = "image/png"
#: Of the AWS documentation, which publishes the secret with its example.
EXAMPLE = SigningKey("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")


def test_the_example_of_the_documentation_is_signed_alike() -> None:
    lifetime = Lifetime(datetime(2013, 5, 24, tzinfo=UTC), 86_400)
    url = presigned("https://examplebucket.s3.amazonaws.com/test.txt", {}, EXAMPLE, "us-east-1", lifetime)
    assert url == (
        "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
        "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
        "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
        "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
    )


def test_a_session_token_is_part_of_the_address() -> None:
    lifetime = Lifetime(datetime(2013, 5, 24, tzinfo=UTC), 60)
    url = presigned("https://h/k", {}, SigningKey("a", "s", "token/+"), "us-east-1", lifetime)
    assert "&X-Amz-Security-Token=token%2F%2B&" in url


@pytest.mark.parametrize("seconds", [10, 3600, 86_400])
@pytest.mark.parametrize("off_by", [-900, 0, 900])
def test_a_lifetime_covers_what_was_promised_however_the_other_clock_goes(seconds: int, off_by: int) -> None:
    for offset in range(0, 2 * seconds, max(1, seconds // 7)):
        now = datetime(2026, 12, 1, tzinfo=UTC) + timedelta(seconds=offset)
        lifetime, theirs = Lifetime.of(now, seconds), now + timedelta(seconds=off_by)
        assert lifetime.signed_at <= theirs
        assert theirs + timedelta(seconds=seconds) <= lifetime.signed_at + timedelta(seconds=lifetime.seconds)


def test_no_lifetime_is_longer_than_a_service_takes() -> None:
    assert Lifetime.of(datetime(2026, 12, 1, tzinfo=UTC), 604_800).seconds == 604_800


def test_an_address_stays_the_same_for_a_while(clock: MovableClock) -> None:
    first = Lifetime.of(clock.now(), 3600)
    clock.advance(899)
    assert Lifetime.of(clock.now(), 3600) == first
    clock.advance(1)
    assert Lifetime.of(clock.now(), 3600) != first


class SkewedClock:
    """A clock that goes right but is set wrong."""

    def __init__(self, seconds: float) -> None:
        self._off_by = timedelta(seconds=seconds)

    def now(self) -> datetime:
        return SystemClock().now() + self._off_by


async def _address(opened: Open, options: S3Options, clock: Clock) -> str:
    storage = opened(options, clock)
    await storage.put("users/a.png", b"content", PNG)
    return storage.url("users/a.png", media_type=PNG, download_name="a.png", base_url="")


@pytest.mark.parametrize("off_by", [-840, 0, 840])
async def test_an_address_opens_also_when_our_clock_is_off(opened: Open, s3_options: S3Options, off_by: float) -> None:
    response = await fetched(await _address(opened, s3_options, SkewedClock(off_by)))
    assert (response.status_code, response.content) == (200, b"content")


@pytest.mark.parametrize("off_by", [-86_400])
async def test_an_address_that_has_ended_opens_nothing(opened: Open, s3_options: S3Options, off_by: float) -> None:
    response = await fetched(await _address(opened, s3_options, SkewedClock(off_by)))
    assert response.status_code == 403
    assert b"content" not in response.content


@pytest.mark.parametrize("change", [str.upper, lambda text: text.replace("a.png", "b.png", 1)])
async def test_nothing_of_an_address_may_be_changed(
    opened: Open, s3_options: S3Options, change: Callable[[str], str]
) -> None:
    base, _, query = (await _address(opened, s3_options, SystemClock())).partition("?")
    assert (await fetched(f"{base}?{change(query)}")).status_code in {400, 403}
    assert (await fetched(base)).status_code == 403


async def test_addresses_name_the_service_as_clients_reach_it(s3_options: S3Options) -> None:
    def url(**changes: str) -> str:
        options = S3Options(bucket="b", **changes)  # type: ignore[arg-type]  # all of them are strings here
        return options.bucket_url(options.endpoint_url or "https://s3.eu-west-9.amazonaws.com")

    assert url() == "https://b.s3.eu-west-9.amazonaws.com"
    assert url(addressing_style="path") == "https://s3.eu-west-9.amazonaws.com/b"
    assert url(endpoint_url="http://seaweed:8333") == "http://seaweed:8333/b"
    assert url(endpoint_url="http://seaweed:8333", addressing_style="virtual") == "http://b.seaweed:8333"
    assert url(endpoint_url="http://seaweed:8333", public_url="https://files.example.com") == (
        "https://files.example.com/b"
    )


async def test_an_address_can_be_made_only_once_there_are_credentials(opened: Open, s3_options: S3Options) -> None:
    storage = opened(s3_options)
    with pytest.raises(StorageError, match="not been opened"):
        storage.url("users/a.png", media_type=PNG, download_name="a.png", base_url="")


async def test_a_cdn_serves_the_bucket_as_it_is(opened: Open, s3_options: S3Options) -> None:
    storage = opened(S3Options(bucket="b", cdn_base_url="https://cdn.example.com/wonder"))
    url = storage.url("users/u/史莱姆 #1?.png", media_type=PNG, download_name="a.png", base_url="http://test")
    assert url == "https://cdn.example.com/wonder/users/u/%E5%8F%B2%E8%8E%B1%E5%A7%86%20%231%3F.png"
    assert urlsplit(url).query == ""


async def test_an_address_says_what_the_file_is_and_how_it_is_called(opened: Open, s3_options: S3Options) -> None:
    query = parse_qs(urlsplit(await _address(opened, s3_options, SystemClock())).query)
    assert query["response-content-type"] == [PNG]
    assert query["response-content-disposition"] == ['inline; filename="a.png"']
