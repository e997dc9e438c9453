"""Services and networks fail in every way: nothing is lost, nothing half is seen, nothing is left."""

import asyncio
import dataclasses
import itertools
import os
from datetime import timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from domain.errors import StorageError, StorageUnusable
from domain.storage.s3.options import S3Options
from domain.storage.s3.storage import S3Storage
from domain.storage.s3.upload import PART_BYTES
from tests.conftest import MovableClock
from tests.domain.storage.s3.conftest import Open
from tests.helpers.fault_proxy import INTERNAL_ERROR, SLOW_DOWN, Answer, Event, Fault, FaultProxy, Refusal
from tests.helpers.seaweed import SeaweedServer

pytestmark = pytest.mark.slow

KEY = "users/u/projects/p/tasks/t/output/r/film.mp4"
MP4 = "video/mp4"
#: Of three parts.
LARGE = os.urandom(2 * PART_BYTES + 1000)
PASSING: list[Event] = [INTERNAL_ERROR, SLOW_DOWN, Fault.DROP, Fault.LOSE_ANSWER, Fault.HANG]
NAMES = ["500", "503", "dropped", "answer lost", "hangs"]


async def _keys(storage: S3Storage) -> list[str]:
    return [item.key async for item in storage.list("users/")]


async def _unfinished(storage: S3Storage) -> int:
    client = await storage._connection.client()
    answer = await client.list_multipart_uploads(Bucket=storage._options.bucket)
    return len(answer.get("Uploads", ()))


@pytest.mark.parametrize("fault", PASSING, ids=NAMES)
async def test_what_passes_is_survived_by_every_operation(
    bucket: S3Storage, direct: S3Storage, proxy: FaultProxy, fault: Event
) -> None:
    proxy.on("^PUT", fault)
    await bucket.put(KEY, b"content", MP4)
    proxy.on("^GET", fault)
    assert await bucket.get(KEY) == b"content"
    proxy.on("^GET .*list-type", fault)
    assert await _keys(bucket) == [KEY]
    proxy.on("^POST", fault)
    await bucket.delete([KEY])
    assert await _keys(direct) == []
    assert proxy.plan == []


@pytest.mark.parametrize("fault", [INTERNAL_ERROR, Fault.DROP, Fault.LOSE_ANSWER], ids=["500", "drop", "answer lost"])
@pytest.mark.parametrize("request_line", ["^POST .*uploads", "^PUT .*partNumber=2", "^POST .*uploadId"])
async def test_a_large_upload_survives_what_passes(
    bucket: S3Storage, direct: S3Storage, proxy: FaultProxy, request_line: str, fault: Event
) -> None:
    proxy.on(request_line, fault)
    try:
        await bucket.put(KEY, LARGE, MP4)
    except StorageError:
        # Whether the end of an upload was carried out whose answer was lost, some services do not say.
        assert (request_line, fault) == ("^POST .*uploadId", Fault.LOSE_ANSWER)
    assert await direct.get(KEY) == LARGE
    if request_line != "^POST .*uploads":  # of two that were begun, one answer never came
        assert await _unfinished(direct) == 0


@pytest.mark.parametrize("fault", [SLOW_DOWN, Fault.DROP, Fault.HANG], ids=["503", "drop", "hang"])
@pytest.mark.parametrize("request_line", ["^POST .*uploads", "^PUT .*partNumber=2", "^POST .*uploadId"])
async def test_a_large_upload_that_cannot_be_finished_leaves_nothing(
    bucket: S3Storage, direct: S3Storage, proxy: FaultProxy, request_line: str, fault: Event
) -> None:
    proxy.on(request_line, *[fault] * 8)  # the client itself may try a dropped connection once more
    with pytest.raises(StorageError, match=r"^Cannot store users/u/.*: the S3 service"):
        await bucket.put(KEY, LARGE, MP4)
    assert await _keys(direct) == []
    assert await _unfinished(direct) == 0


async def test_an_upload_that_is_called_off_leaves_nothing(
    bucket: S3Storage, direct: S3Storage, proxy: FaultProxy
) -> None:
    proxy.on("^PUT .*partNumber=3", Fault.HANG)
    upload = asyncio.create_task(bucket.put(KEY, LARGE, MP4))
    await asyncio.wait_for(proxy.hanging.wait(), 20)
    upload.cancel()
    with pytest.raises(asyncio.CancelledError):
        await upload
    assert await _keys(direct) == []
    assert await _unfinished(direct) == 0


async def test_a_source_that_becomes_shorter_stores_nothing(
    bucket: S3Storage, direct: S3Storage, proxy: FaultProxy, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    source.write_bytes(LARGE)
    proxy.on("^POST .*uploads", lambda: os.truncate(source, PART_BYTES))
    with pytest.raises(StorageError, match="became shorter"):
        await bucket.put_file(KEY, source, MP4)
    assert await _keys(direct) == []
    assert await _unfinished(direct) == 0


async def test_what_a_killed_writer_left_goes_at_a_start_once_it_is_old(
    opened: Open, proxied: S3Options, s3_options: S3Options, proxy: FaultProxy, direct: S3Storage, clock: MovableClock
) -> None:
    """It is the service's clock that tells how old they are."""
    client = await direct._connection.client()
    begun = await client.create_multipart_upload(Bucket=s3_options.bucket, Key=KEY)
    place = {"Bucket": s3_options.bucket, "Key": KEY, "UploadId": begun["UploadId"]}
    await client.upload_part(**place, PartNumber=1, Body=b"half")
    clock.instant = direct._clock.now() + timedelta(days=3)
    await opened(proxied, clock).check()
    assert await _unfinished(direct) == 1
    clock.instant = direct._clock.now()
    proxy.extra_headers = f"date: {format_datetime(clock.now() + timedelta(days=1, minutes=1), usegmt=True)}\r\n"
    await opened(proxied, clock).check()
    assert await _unfinished(direct) == 0


async def test_a_late_writer_does_not_finish_below_what_was_removed(
    bucket: S3Storage, direct: S3Storage, proxy: FaultProxy
) -> None:
    removal: list[asyncio.Task[int]] = []
    proxy.on("^PUT .*partNumber=2", lambda: removal.append(asyncio.create_task(direct.delete_prefix("users/u/"))))
    proxy.on("^POST .*uploadId", Fault.HANG)
    with pytest.raises(StorageError):
        await bucket.put(KEY, LARGE, MP4)
    await removal[0]
    assert await _keys(direct) == []
    assert await _unfinished(direct) == 0


@pytest.mark.parametrize("times", [1, 5])
async def test_a_download_goes_on_where_it_broke_off(bucket: S3Storage, proxy: FaultProxy, times: int) -> None:
    await bucket.put(KEY, LARGE, MP4)
    proxy.requests.clear()
    proxy.on("^GET", *[Fault.CUT_ANSWER] * times)
    assert await bucket.get(KEY) == LARGE
    ranges = [asked.headers.get("range") for asked in proxy.requests]
    assert len(ranges) == times + 1
    assert ranges[0] is None
    starts = [int(value.removeprefix("bytes=").removesuffix("-")) for value in ranges[1:] if value]
    assert starts == sorted(set(starts))
    assert len(starts) == times
    assert all("if-match" in asked.headers for asked in proxy.requests[1:])


async def test_a_download_does_not_go_on_with_another_object(
    bucket: S3Storage, direct: S3Storage, proxy: FaultProxy
) -> None:
    await bucket.put(KEY, LARGE, MP4)
    proxy.on("^GET", Fault.CUT_ANSWER)
    pieces = bucket.read(KEY)
    got = await anext(pieces)
    await direct.put(KEY, LARGE[::-1], MP4)
    with pytest.raises(StorageError, match="412"):
        async for piece in pieces:
            got += piece
    assert LARGE.startswith(got)


async def test_a_download_that_brings_nothing_new_gives_up(bucket: S3Storage, proxy: FaultProxy) -> None:
    await bucket.put(KEY, b"1", MP4)
    proxy.on("^GET", *[Fault.CUT_ANSWER] * 2)
    with pytest.raises(StorageError, match="broke off"):
        await bucket.get(KEY)


async def test_a_cut_listing_is_no_shorter_listing(bucket: S3Storage, proxy: FaultProxy) -> None:
    for number in range(20):
        await bucket.put(f"users/{number}", b"x", MP4)
    proxy.on("^GET .*list-type", Fault.CUT_ANSWER)
    assert len(await _keys(bucket)) == 20


def _failed(*keys: str, code: str) -> Answer:
    errors = "".join(f"<Error><Key>{key}</Key><Code>{code}</Code><Message>x</Message></Error>" for key in keys)
    return Answer(f"<DeleteResult>{errors}</DeleteResult>")


async def test_keys_that_a_service_fails_on_are_removed_at_the_next_try(
    bucket: S3Storage, direct: S3Storage, proxy: FaultProxy
) -> None:
    keys = [f"users/{number}" for number in range(5)]
    for key in keys:
        await bucket.put(key, b"x", MP4)
    proxy.on("^POST .*delete", _failed(*keys, code="SlowDown"))
    await bucket.delete(keys)
    assert await _keys(direct) == []


@pytest.mark.parametrize(("code", "requests"), [("AccessDenied", 1), ("InternalError", 2)])
async def test_keys_that_will_not_go_are_told(bucket: S3Storage, proxy: FaultProxy, code: str, requests: int) -> None:
    proxy.requests.clear()
    proxy.on("^POST .*delete", *[_failed("users/2", code=code)] * 2)
    with pytest.raises(StorageError, match=rf"Cannot remove 1 of 3 objects.*{code}"):
        await bucket.delete(["users/1", "users/2", "users/3"])
    assert len(proxy.requests) == requests


#: What a broken middleman may say: nothing, or something that is not the service's.
HOLLOW = [Answer(""), Answer("<html><body>Welcome.</body></html>")]


@pytest.mark.parametrize(
    ("request_line", "answer"),
    [
        *itertools.product(["^PUT .*film", "^GET .*film", "^GET .*list-type", "^GET .*uploads"], HOLLOW),
        ("^POST .*delete", Answer("")),
    ],
)
async def test_an_answer_that_says_nothing_is_no_success(
    bucket: S3Storage, proxy: FaultProxy, request_line: str, answer: Answer
) -> None:
    await bucket.put(KEY, b"content", MP4)
    proxy.on(request_line, *[answer] * 2)
    operations = {
        "^PUT .*film": lambda: bucket.put(KEY, b"other", MP4),
        "^GET .*film": lambda: bucket.get(KEY),
        "^GET .*list-type": lambda: _keys(bucket),
        "^GET .*uploads": lambda: bucket.delete_prefix("users/"),
        "^POST .*delete": lambda: bucket.delete([KEY]),
    }
    with pytest.raises(StorageError, match="incomplete"):
        await operations[request_line]()


@pytest.mark.parametrize("request_line", ["^POST .*uploads", "^PUT .*partNumber=2", "^POST .*uploadId"])
async def test_a_large_upload_whose_answers_say_nothing_leaves_nothing(
    bucket: S3Storage, direct: S3Storage, proxy: FaultProxy, request_line: str
) -> None:
    proxy.on(request_line, Answer(""))
    with pytest.raises(StorageError, match="incomplete"):
        await bucket.put(KEY, LARGE, MP4)
    assert await _keys(direct) == []
    assert await _unfinished(direct) == 0


async def test_many_keys_go_a_thousand_at_a_time(bucket: S3Storage, proxy: FaultProxy) -> None:
    proxy.requests.clear()
    await bucket.delete([f"users/{number}" for number in range(2001)])
    assert proxy.methods() == ["POST"] * 3


async def test_a_bucket_that_vanishes_is_told_and_works_again_when_it_is_back(
    opened: Open, s3_server: SeaweedServer, s3_options: S3Options
) -> None:
    s3_server.create_bucket("fleeting")
    storage = opened(dataclasses.replace(s3_options, bucket="fleeting"))
    await storage.check()
    s3_server.delete_bucket("fleeting")
    with pytest.raises(StorageUnusable, match="no bucket fleeting"):
        await storage.check()
    for operation in (storage.put(KEY, b"x", MP4), storage.get(KEY), storage.delete_prefix("users/"), _keys(storage)):
        with pytest.raises(StorageError, match="NoSuchBucket"):
            await operation
    s3_server.create_bucket("fleeting")
    await storage.check()
    await storage.put(KEY, b"x", MP4)
    assert await _keys(storage) == [KEY]
    await storage.delete([KEY])
    s3_server.delete_bucket("fleeting")


async def test_a_bucket_that_is_gone_is_not_an_object_that_is_missing(bucket: S3Storage, proxy: FaultProxy) -> None:
    proxy.on("^GET", Refusal(404, "NoSuchBucket"))
    with pytest.raises(StorageError) as caught:
        await bucket.get(KEY)
    assert type(caught.value) is StorageError
