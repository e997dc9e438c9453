"""What an S3 service answers, as what the port says. Messages hold codes and keys, never addresses or credentials."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

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


class IncompleteAnswer(Exception):
    """A service, or something on the way to it, said that all is well and left out what belongs to it."""


#: Everything that a request to a service may raise.
SERVICE_ERRORS: Final = (BotoCoreError, ClientError, HttpError, OSError, TimeoutError, IncompleteAnswer)
#: What to say of errors that are no answers; the first that fits counts.
_SAID: Final[Sequence[tuple[tuple[type[BaseException], ...], str]]] = (
    ((IncompleteAnswer,), "the answer of the S3 service was incomplete"),
    ((NoCredentialsError,), "there are no credentials for the S3 service"),
    ((ConnectTimeoutError, ReadTimeoutError, TimeoutError), "the S3 service took too long to answer"),
    ((ServiceConnectionError, HTTPClientError, HttpError), "the S3 service could not be reached, or broke off"),
)
#: A missing object, as GET says it and as HEAD does, which has no body to say more.
_NO_OBJECT: Final = frozenset({"NoSuchKey", "404"})


def needed(answer: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401 (made from data)
    """Return a part of an answer without which it says nothing; raises `IncompleteAnswer`.

    A body that was cut to nothing reads like one that has nothing to tell: a listing without objects, an object stored.
    """
    if name not in answer:
        raise IncompleteAnswer(name)
    return answer[name]


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
    for kinds, text in _SAID:
        if isinstance(error, kinds):
            return text
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return type(error).__name__
