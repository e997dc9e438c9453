"""Storage in a bucket of any service that speaks S3."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

from domain.clock import Clock
from domain.ports import StoredObject
from domain.storage.disposition import content_disposition
from domain.storage.keys import check_key, check_prefix
from domain.storage.s3.address import Lifetime, presigned
from domain.storage.s3.check import check_bucket, find_bucket
from domain.storage.s3.connection import S3Connection
from domain.storage.s3.download import download
from domain.storage.s3.errors import as_storage_error
from domain.storage.s3.options import S3Options
from domain.storage.s3.removal import abort_uploads, delete_below, delete_keys, list_pages
from domain.storage.s3.upload import Source, bytes_source, file_source, object_fields, upload


class S3Storage:
    """Keeps objects in a bucket; addresses are presigned, or those of a CDN.

    Every key is checked first: `ValueError` for what is no key.
    """

    def __init__(self, options: S3Options, clock: Clock) -> None:
        self._options = options
        self._clock = clock
        self._connection = S3Connection(options)
        self._checked = False

    async def put(self, key: str, data: bytes, media_type: str) -> None:
        """Store an object whole or not at all; the same key is replaced. Raises `StorageError`."""
        await self._upload(check_key(key), bytes_source(data), media_type)

    async def put_file(self, key: str, source: Path, media_type: str) -> None:
        """Store a local file's content whole or not at all. Raises `StorageError`."""
        check_key(key)
        with as_storage_error("store", key):
            opened = await asyncio.to_thread(file_source, source)
        await self._upload(key, opened, media_type)

    async def get(self, key: str) -> bytes:
        """Return an object whole. Raises `ObjectMissing` or `StorageError`."""
        return b"".join([chunk async for chunk in self.read(key)])

    async def read(self, key: str) -> AsyncGenerator[bytes, None]:
        """Yield an object's content in pieces of at most 256 KiB. Raises `ObjectMissing` or `StorageError`."""
        check_key(key)
        client = await self._connection.client()
        with as_storage_error("read", key):
            pieces = download(client, self._options.bucket, key, self._options.max_attempts)
            # A reader that stops in the middle lets go of the connection then, and not when garbage is collected.
            async with aclosing(pieces):
                async for chunk in pieces:
                    yield chunk

    async def delete(self, keys: Sequence[str]) -> None:
        """Remove objects, a thousand a request; missing ones are no error. Raises `StorageError`."""
        checked = [check_key(key) for key in keys]
        client = await self._connection.client()
        with as_storage_error("remove", f"{len(keys)} objects"):
            await delete_keys(client, self._options.bucket, checked, self._options.max_attempts)

    async def list(self, prefix: str, after: str = "") -> AsyncIterator[StoredObject]:
        """Yield the objects whose keys start with the prefix and come behind `after`, page by page.

        Raises `StorageError`.
        """
        if "/" in prefix:
            check_key(prefix.rpartition("/")[0])
        client = await self._connection.client()
        with as_storage_error("list", prefix or "the objects"):
            async for page in list_pages(client, self._options.bucket, prefix, after):
                for item in page:
                    yield item

    async def delete_prefix(self, prefix: str) -> int:
        """Remove every object under a prefix that ends in `/`, and what uploads in parts have brought so far.

        Returns how many objects went. Raises `StorageError`.
        """
        check_prefix(prefix)
        client = await self._connection.client()
        with as_storage_error("remove", prefix):
            await abort_uploads(client, self._options.bucket, prefix)
            return await delete_below(client, self._options.bucket, prefix, self._options.max_attempts)

    def url(self, key: str, *, media_type: str, download_name: str, base_url: str) -> str:  # noqa: ARG002 (the port's)
        """Return an address from which a client fetches the object as it is: the CDN's, or one that ends some time.

        Raises `StorageError` before the storage has been used for the first time.
        """
        path = quote(check_key(key), safe="/~")
        if self._options.cdn_base_url:
            return f"{self._options.cdn_base_url}/{path}"
        overrides = {
            "response-content-type": media_type,
            "response-content-disposition": content_disposition(media_type, download_name),
        }
        key_now = self._connection.signing_key()
        lifetime = Lifetime.of(self._clock.now(), self._options.url_seconds)
        return presigned(f"{self._connection.bucket_url}/{path}", overrides, key_now, self._options.region, lifetime)

    async def check(self) -> None:
        """At first, try every right and remove what killed writers left; later look whether the bucket is there.

        Raises `StorageUnusable` with what is missing.
        """
        client = await self._connection.client()
        if self._checked:
            await find_bucket(client, self._options)
            return
        await check_bucket(client, self._options, self._clock.now())
        self._checked = True

    async def clock_ahead(self) -> timedelta:
        """Return how far the service's clock is ahead, to the second; nothing where it does not tell the time.

        Raises `StorageUnusable`.
        """
        told = await find_bucket(await self._connection.client(), self._options)
        return timedelta() if told is None else told - self._clock.now()

    async def close(self) -> None:
        """Let go of the connections."""
        await self._connection.close()

    async def _upload(self, key: str, source: Source, media_type: str) -> None:
        client = await self._connection.client()
        with as_storage_error("store", key):
            await upload(client, object_fields(self._options, key, media_type), source)
