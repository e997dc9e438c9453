"""Writing objects: small ones at once, large ones in parts that become visible together at the end or never."""

import asyncio
import base64
import errno
import hashlib
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from domain.storage.disposition import content_disposition
from domain.storage.s3.errors import SERVICE_ERRORS, described, needed
from domain.storage.s3.options import S3Options

_log = logging.getLogger("wonder.storage")

#: From this size on, and in pieces of at least this size, an object goes in parts. S3 takes none below 5 MiB.
PART_BYTES: Final = 8 * 1024 * 1024
#: What S3 takes.
_MAX_PARTS: Final = 10_000
#: Parts of one object on their way at once, each held in memory.
_PARTS_AT_ONCE: Final = 3
#: Takes less time than handing it to a thread.
_HASHED_INLINE_BYTES: Final = 64 * 1024
#: A stop of the server waits at most this long for the removal of a broken upload's parts.
_ABORT_SECONDS: Final = 10


@dataclass(frozen=True, slots=True)
class Source:
    """What is to be written: its size, and how to read a piece of it."""

    size_bytes: int
    #: Takes position and length in bytes.
    read: Callable[[int, int], Awaitable[bytes]]


def bytes_source(data: bytes) -> Source:
    """Return bytes of memory as a source."""

    async def read(position: int, length: int) -> bytes:
        return data if length == len(data) else data[position : position + length]

    return Source(len(data), read)


def file_source(path: Path) -> Source:
    """Return a file as a source; blocks. Raises `OSError`."""

    def read(position: int, length: int) -> bytes:
        with path.open("rb") as file:
            file.seek(position)
            data = file.read(length)
        if len(data) != length:
            raise OSError(errno.EIO, "the file became shorter while it was stored")
        return data

    return Source(path.stat().st_size, lambda position, length: asyncio.to_thread(read, position, length))


def object_fields(options: S3Options, key: str, media_type: str) -> dict[str, Any]:
    """Return what is told of an object when it is written: its headers on download, and its encryption.

    A key is written once, so that caches may keep what they have; those between, only where a CDN serves everybody.
    """
    fields: dict[str, Any] = {
        "Bucket": options.bucket,
        "Key": key,
        "ContentType": media_type,
        "ContentDisposition": content_disposition(media_type, key.rpartition("/")[2]),
        "CacheControl": f"{'public' if options.cdn_base_url else 'private'}, max-age=31536000, immutable",
    }
    if options.encryption:
        fields["ServerSideEncryption"] = options.encryption
    if options.kms_key_id:
        fields["SSEKMSKeyId"] = options.kms_key_id
    return fields


async def upload(client: Any, fields: Mapping[str, Any], source: Source) -> None:  # noqa: ANN401 (made from data)
    """Write an object whole or not at all. Raises what the service or the way to it raises, and `OSError`."""
    if source.size_bytes <= PART_BYTES:
        data = await source.read(0, source.size_bytes)
        needed(await client.put_object(**fields, Body=data, ContentMD5=await _md5(data)), "ETag")
        return
    place = {"Bucket": fields["Bucket"], "Key": fields["Key"]}
    begun = await client.create_multipart_upload(**fields)
    place["UploadId"] = needed(begun, "UploadId")
    try:
        parts = await _send_parts(client, place, source)
        needed(await client.complete_multipart_upload(**place, MultipartUpload={"Parts": parts}), "ETag")
    except BaseException:
        await _finished(_abort(client, place))
        raise


async def _send_parts(client: Any, place: Mapping[str, str], source: Source) -> Sequence[Mapping[str, object]]:  # noqa: ANN401
    part_bytes = max(PART_BYTES, -(-source.size_bytes // _MAX_PARTS))
    positions = range(0, source.size_bytes, part_bytes)
    free = asyncio.Semaphore(_PARTS_AT_ONCE)

    async def send(number: int, position: int) -> Mapping[str, object]:
        async with free:
            length = min(part_bytes, source.size_bytes - position)
            data = await source.read(position, length)
            answer = await client.upload_part(**place, PartNumber=number, Body=data, ContentMD5=await _md5(data))
            return {"PartNumber": number, "ETag": needed(answer, "ETag")}

    try:
        async with asyncio.TaskGroup() as group:
            sent = [group.create_task(send(number, position)) for number, position in enumerate(positions, 1)]
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in sent]


async def _abort(client: Any, place: Mapping[str, str]) -> None:  # noqa: ANN401
    """Have the parts of a broken upload removed; where that fails, `abort_stale_uploads` finds them later."""
    try:
        async with asyncio.timeout(_ABORT_SECONDS):
            await client.abort_multipart_upload(**place)
    except SERVICE_ERRORS as error:
        _log.warning("the parts of a broken upload stay for now: %s", described(error))


async def _finished(work: Awaitable[None]) -> None:
    """Wait for work that a cancellation of the caller must not cut short."""
    task = asyncio.ensure_future(work)
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            continue  # the caller is on its way out already, with the reason


async def _md5(data: bytes) -> str:
    """Return the checksum as the header Content-MD5 takes it, with which the service compares what has arrived."""
    if len(data) <= _HASHED_INLINE_BYTES:
        digest = hashlib.md5(data, usedforsecurity=False)
    else:
        digest = await asyncio.to_thread(hashlib.md5, data, usedforsecurity=False)
    return base64.b64encode(digest.digest()).decode()
