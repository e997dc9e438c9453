"""What an S3 service answers, as what the port says. Messages hold codes and keys, never addresses or credentials."""

import contextlib
from collections.abc import Iterator
from typing import Final

from aiohttp import ClientError as HttpError
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    HTTPClientError,
    NoCredentialsError,
    ReadTimeoutError,
)
from botocore.exceptions import (
    ConnectionError as ServiceConnectionError,
)

from domain.errors import ObjectMissing, StorageError

#: Everything that a request to a service may raise.
SERVICE_ERRORS: Final = (BotoCoreError, ClientError, HttpError, OSError, TimeoutError)
#: A missing object, as GET says it and as HEAD does, which has no body to say more.
_NO_OBJECT: Final = frozenset({"NoSuchKey", "404"})


@contextlib.contextmanager
def as_storage_error(action: str, subject: str) -> Iterator[None]:
    """Turn what a service or the way to it raises into `ObjectMissing` or `StorageError`."""
    try:
        yield
    except ClientError as error:
        if error_code(error) in _NO_OBJECT:
            raise ObjectMissing(f"There is no object {subject}.") from error
        raise StorageError(f"Cannot {action} {subject}: {described(error)}.") from error
    except SERVICE_ERRORS as error:
        raise StorageError(f"Cannot {action} {subject}: {described(error)}.") from error


def error_code(error: BaseException) -> str:
    """Return the code of S3, such as `NoSuchBucket`; empty for what is no answer of a service."""
    return str(error.response.get("Error", {}).get("Code", "")) if isinstance(error, ClientError) else ""


def described(error: BaseException) -> str:
    """Say in a few words what went wrong."""
    if isinstance(error, ClientError):
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", "?")
        code = error_code(error)
        return f"the S3 service answered {status}" + ("" if code == str(status) else f" {code}")
    if isinstance(error, NoCredentialsError):
        return "there are no credentials for the S3 service"
    if isinstance(error, ConnectTimeoutError | ReadTimeoutError | TimeoutError):
        return "the S3 service took too long to answer"
    if isinstance(error, ServiceConnectionError | HTTPClientError | HttpError):
        return "the S3 service could not be reached, or broke off"
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return type(error).__name__
