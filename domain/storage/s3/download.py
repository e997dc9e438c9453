"""Reading objects piece by piece, going on where a connection broke off."""

from collections.abc import AsyncGenerator
from typing import Any, Final

from aiohttp import ClientError as HttpError
from botocore.exceptions import ConnectionClosedError, IncompleteReadError, ReadTimeoutError, ResponseStreamingError

from domain.storage.s3.errors import needed

CHUNK_BYTES: Final = 256 * 1024
_BROKEN_OFF: Final = (HttpError, ConnectionClosedError, IncompleteReadError, ReadTimeoutError, ResponseStreamingError)


async def download(client: Any, bucket: str, key: str, max_attempts: int) -> AsyncGenerator[bytes, None]:  # noqa: ANN401
    """Yield the content of an object in pieces of at most 256 KiB.

    A body that breaks off is asked for again from there, as often as it has brought something new, and else at most
    `max_attempts` times; never from another object that has taken the key meanwhile. Raises what the service raises.
    """
    position, etag, left = 0, "", max_attempts
    while True:
        condition = {"Range": f"bytes={position}-", "IfMatch": etag} if position else {}
        answer = await client.get_object(Bucket=bucket, Key=key, **condition)
        begun = position
        async with answer["Body"] as body:
            etag = needed(answer, "ETag")
            try:
                while chunk := await body.read(CHUNK_BYTES):
                    position += len(chunk)
                    yield chunk
            except _BROKEN_OFF:
                left = max_attempts if position > begun else left - 1
                if left <= 0:
                    raise
                continue
        return
