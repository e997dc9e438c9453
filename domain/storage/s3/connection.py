"""The one client of a process: a pool of connections, retries, and credentials that stay fresh."""

import asyncio
import contextlib
import logging
from typing import Any, Final

from aiobotocore.config import AioConfig
from aiobotocore.session import AioSession, get_session

from domain.errors import StorageError, StorageUnusable
from domain.storage.s3.address import SigningKey
from domain.storage.s3.errors import SERVICE_ERRORS
from domain.storage.s3.options import S3Options

_log = logging.getLogger("wonder.storage")

_POOL_CONNECTIONS: Final = 50
#: Temporary credentials are renewed minutes before they end; addresses are signed without waiting for that.
_RENEWAL_SECONDS: Final = 60
#: What else the ways to credentials raise: their services, programs and files may say anything but what is expected.
_NO_CREDENTIALS: Final = (RuntimeError, ValueError, LookupError, TypeError, AttributeError)


class S3Connection:
    """Opened by the first who needs it, closed at the end of the process; belongs to one event loop."""

    def __init__(self, options: S3Options, renewal_seconds: float = _RENEWAL_SECONDS) -> None:
        self._options = options
        self._renewal_seconds = renewal_seconds
        self._ends = contextlib.AsyncExitStack()
        self._opening = asyncio.Lock()
        self._client: Any = None
        self._credentials: Any = None
        self._signing_key: SigningKey | None = None
        self._bucket_url = ""

    async def client(self) -> Any:  # noqa: ANN401 (aiobotocore makes its clients from data)
        """Return the client. Raises `StorageUnusable` when there are no credentials."""
        if self._client is None:
            async with self._opening:
                if self._client is None:
                    await self._open()
        return self._client

    @property
    def bucket_url(self) -> str:
        """Where clients find the keys of the bucket, without a slash at the end; empty before the first use."""
        return self._bucket_url

    def signing_key(self) -> SigningKey:
        """Return the credentials to sign addresses with. Raises `StorageError` before the first use of the client."""
        if self._signing_key is None:
            raise StorageError("The S3 storage has not been opened.")
        return self._signing_key

    async def close(self) -> None:
        """Let go of the connections; a later use opens new ones."""
        self._client = None
        await self._ends.aclose()

    async def _open(self) -> None:
        session = get_session()
        options = self._options
        if options.access_key_id:
            session.set_credentials(options.access_key_id, options.secret_access_key)
        try:
            self._credentials = await session.get_credentials()
            if self._credentials is None:
                raise StorageUnusable(
                    f"There are no credentials for {options.service}: set WONDER_S3_ACCESS_KEY_ID and "
                    "WONDER_S3_SECRET_ACCESS_KEY, or give them in any of the ways that the AWS tools know."
                )
            await self._renew()
            client = await self._ends.enter_async_context(_new_client(session, options))
        except (*SERVICE_ERRORS, *_NO_CREDENTIALS) as error:
            raise StorageUnusable(f"Cannot get ready for {options.service}: {error}") from error
        self._bucket_url = options.bucket_url(client.meta.endpoint_url)
        renewal = asyncio.create_task(self._keep_fresh())
        self._ends.push_async_callback(_ended, renewal)
        self._client = client

    async def _renew(self) -> None:
        frozen = await self._credentials.get_frozen_credentials()
        self._signing_key = SigningKey(frozen.access_key, frozen.secret_key, frozen.token)

    async def _keep_fresh(self) -> None:
        while True:
            await asyncio.sleep(self._renewal_seconds)
            try:
                await self._renew()
            except (*SERVICE_ERRORS, *_NO_CREDENTIALS) as error:
                _log.warning("the credentials of the S3 service could not be renewed: %s", type(error).__name__)


def _new_client(session: AioSession, options: S3Options) -> Any:  # noqa: ANN401 (as above)
    config = AioConfig(
        s3={"addressing_style": "path" if options.path_style else "virtual"},
        signature_version="s3v4",
        retries={"mode": "standard", "total_max_attempts": options.max_attempts},
        max_pool_connections=_POOL_CONNECTIONS,
        connect_timeout=options.connect_timeout_seconds,
        read_timeout=options.read_timeout_seconds,
        ignore_configured_endpoint_urls=True,
        # What is sent goes with its MD5, which every service checks; the newer checksums not all of them know.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    return session.create_client(
        "s3",
        region_name=options.region,
        endpoint_url=options.endpoint_url or None,
        verify=options.ca_file or None,
        config=config,
    )


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.warning("the credentials of the S3 service were no longer renewed: %s", type(error).__name__)
