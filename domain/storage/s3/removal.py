"""Listing and removing objects, a thousand at a time, and the parts of uploads that nobody will finish."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any, Final

from domain.errors import StorageError
from domain.ports import StoredObject
from domain.storage.s3.errors import IncompleteAnswer, needed

#: What S3 takes in one request.
BATCH_KEYS: Final = 1000
#: Keys of a page of a listing. Reading a page of 1,000 holds up the event loop for a tenth of a second; while 10,000
#: objects are removed, the API answers twice as fast at the 99th percentile with pages of 100 as with pages of 250.
_PAGE_KEYS: Final = 100
_PAGES_AT_ONCE: Final = 4
_FIRST_WAIT_SECONDS: Final = 0.2
#: Answers for single keys after which the same key may well go at the next try.
_PASSING: Final = frozenset({"InternalError", "ServiceUnavailable", "SlowDown", "RequestTimeout", "OperationAborted"})


async def list_pages(
    client: Any,  # noqa: ANN401
    bucket: str,
    prefix: str,
    after: str = "",
) -> AsyncIterator[Sequence[StoredObject]]:
    """Yield the objects whose keys start with the prefix and come behind `after`, page by page."""
    start = {"StartAfter": after} if after else {}
    pages = client.get_paginator("list_objects_v2").paginate(
        Bucket=bucket, Prefix=prefix, PaginationConfig={"PageSize": _PAGE_KEYS}, **start
    )
    async for page in pages:
        needed(page, "IsTruncated")
        yield [StoredObject(item["Key"], item["Size"], item["LastModified"]) for item in page.get("Contents", ())]


async def delete_keys(client: Any, bucket: str, keys: Sequence[str], max_attempts: int) -> None:  # noqa: ANN401
    """Remove objects; keys that the service fails on are tried again by themselves.

    Raises `StorageError` for keys that will not go, and what the service raises.
    """
    for start in range(0, len(keys), BATCH_KEYS):
        await _delete_batch(client, bucket, keys[start : start + BATCH_KEYS], max_attempts)


async def delete_below(client: Any, bucket: str, prefix: str, max_attempts: int) -> int:  # noqa: ANN401
    """Remove all objects whose keys start with the prefix, a few pages at once; returns how many there were.

    Raises `StorageError` and what the service raises.
    """
    count, pages, lock = 0, list_pages(client, bucket, prefix), asyncio.Lock()

    async def remove() -> None:
        nonlocal count
        while True:
            async with lock:
                page = await anext(pages, None)
            if page is None:
                return
            await delete_keys(client, bucket, [item.key for item in page], max_attempts)
            count += len(page)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(_PAGES_AT_ONCE):
                group.create_task(remove())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return count


async def _delete_batch(client: Any, bucket: str, keys: Sequence[str], max_attempts: int) -> None:  # noqa: ANN401
    left = list(keys)
    codes: set[str] = set()
    for attempt in range(max_attempts):
        if attempt:
            await asyncio.sleep(_FIRST_WAIT_SECONDS * 2**attempt)
        request = {"Objects": [{"Key": key} for key in left], "Quiet": True}
        answer = await client.delete_objects(Bucket=bucket, Delete=request)
        # Without errors a good answer holds nothing, but even that has a body.
        if answer["ResponseMetadata"]["HTTPHeaders"].get("content-length") == "0":
            raise IncompleteAnswer("DeleteResult")
        errors = [error for error in answer.get("Errors", ()) if error.get("Code") != "NoSuchKey"]
        if not errors:
            return
        left = [error["Key"] for error in errors]
        codes = {str(error.get("Code", "?")) for error in errors}
        if not codes & _PASSING:
            break
    raise StorageError(f"Cannot remove {len(left)} of {len(keys)} objects: the S3 service answered {sorted(codes)}.")


async def abort_uploads(client: Any, bucket: str, prefix: str, before: datetime | None = None) -> int:  # noqa: ANN401
    """Have the parts of unfinished uploads below a prefix removed, those begun before an instant only if one is given.

    Whoever still sends parts of one is told at the end that it is gone. Returns how many there were.
    """
    count = 0
    async for page in client.get_paginator("list_multipart_uploads").paginate(Bucket=bucket, Prefix=prefix):
        needed(page, "IsTruncated")
        for item in page.get("Uploads", ()):
            if before is None or item["Initiated"] < before:
                await client.abort_multipart_upload(Bucket=bucket, Key=item["Key"], UploadId=item["UploadId"])
                count += 1
    return count
