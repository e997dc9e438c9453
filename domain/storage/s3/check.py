"""Whether a bucket can be used: each right is tried, and what is missing is said in words that help an operator."""

import secrets
from collections.abc import Awaitable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Final

from botocore.exceptions import ClientError, EndpointConnectionError, SSLError

from domain.errors import StorageUnusable
from domain.storage.s3.errors import SERVICE_ERRORS, described, error_code
from domain.storage.s3.options import S3Options
from domain.storage.s3.removal import abort_uploads

_WRONG_REGION: Final = frozenset(
    {
        "PermanentRedirect",
        "TemporaryRedirect",
        "AuthorizationHeaderMalformed",
        "IllegalLocationConstraintException",
        "InvalidRegion",
        "301",
    }
)
#: An upload in parts that was begun this long ago belongs to a process that was killed.
_ABANDONED: Final = timedelta(days=1)
_PROBE: Final = b"probe"
#: All keys begin with it.
OBJECTS: Final = "users/"
_DENIED: Final = frozenset({"AccessDenied", "AllAccessDisabled", "403"})
_NO_BUCKET: Final = "There is no bucket {bucket} in {service}. Create it, or name another one with WONDER_S3_BUCKET."
_UNKNOWN_KEY: Final = "The access key is unknown to {service} ({code}): see WONDER_S3_ACCESS_KEY_ID."
_ENDED: Final = "The credentials for {service} have ended ({code}). Get new ones."
#: What to say of other codes of S3.
_MESSAGES: Final = {
    "NoSuchBucket": _NO_BUCKET,
    "404": _NO_BUCKET,
    "InvalidAccessKeyId": _UNKNOWN_KEY,
    "InvalidToken": _ENDED,
    "ExpiredToken": _ENDED,
    "SignatureDoesNotMatch": "The signature is refused by {service}: WONDER_S3_SECRET_ACCESS_KEY is wrong.",
    "RequestTimeTooSkewed": "The clocks of this machine and of {service} differ too much: set this one.",
}


async def check_bucket(client: Any, options: S3Options, now: datetime) -> None:  # noqa: ANN401 (made from data)
    """Find the bucket, try every right that Wonder needs, and remove what killed writers left half sent.

    What is old enough for that goes by the service's clock; `now` only stands in for one that does not tell.
    Raises `StorageUnusable`.
    """
    now = await find_bucket(client, options) or now
    key = f"wonder-check/{secrets.token_hex(16)}"
    place = {"Bucket": options.bucket, "Key": key}
    await _tried(
        options, "write objects (s3:PutObject)", client.put_object(**place, Body=_PROBE, **_encrypted(options))
    )
    content = await _tried(options, "read objects (s3:GetObject)", _read(client, place))
    removal = client.delete_objects(Bucket=options.bucket, Delete={"Objects": [{"Key": key}]})
    answer = await _tried(options, "delete objects (s3:DeleteObject)", removal)
    if errors := answer.get("Errors"):
        raise _denied(options, "delete objects (s3:DeleteObject)", str(errors[0].get("Code")))
    if content != _PROBE:
        raise StorageUnusable(f"What is written to the bucket {options.bucket} does not come back as it was.")
    leftovers = abort_uploads(client, options.bucket, OBJECTS, before=now - _ABANDONED)
    await _tried(options, "find and remove unfinished uploads (s3:ListBucketMultipartUploads)", leftovers)


async def find_bucket(client: Any, options: S3Options) -> datetime | None:  # noqa: ANN401
    """Look whether the bucket is there and may be listed; returns what time it is there, if that is told.

    Raises `StorageUnusable`.
    """
    answer = await _tried(
        options, "list objects (s3:ListBucket)", client.list_objects_v2(Bucket=options.bucket, MaxKeys=1)
    )
    headers = answer["ResponseMetadata"]["HTTPHeaders"]
    # Where the client has followed the service to another region by itself, addresses would still name this one.
    if (region := headers.get("x-amz-bucket-region", options.region)) != options.region:
        raise StorageUnusable(_wrong_region(options, region))
    try:
        told = parsedate_to_datetime(headers.get("date", ""))
    except ValueError:
        return None
    return told if told.tzinfo else told.replace(tzinfo=UTC)


async def _read(client: Any, place: Mapping[str, str]) -> bytes:  # noqa: ANN401
    async with (await client.get_object(**place))["Body"] as body:
        content: bytes = await body.read()
        return content


def _encrypted(options: S3Options) -> Mapping[str, str]:
    fields = {"ServerSideEncryption": options.encryption, "SSEKMSKeyId": options.kms_key_id}
    return {name: value for name, value in fields.items() if value}


async def _tried(options: S3Options, right: str, request: Awaitable[Any]) -> Any:  # noqa: ANN401
    try:
        return await request
    except ClientError as error:
        raise _refused(options, right, error) from error
    except SSLError as error:
        raise StorageUnusable(
            f"{_capital(options.service)} has a certificate that this machine does not trust. "
            "Name the certificates of its authority with WONDER_S3_CA_FILE."
        ) from error
    except EndpointConnectionError as error:
        raise StorageUnusable(
            f"{_capital(options.service)} cannot be reached. Is it running, and is WONDER_S3_ENDPOINT_URL right?"
        ) from error
    except SERVICE_ERRORS as error:
        raise StorageUnusable(f"{_capital(options.service)} cannot be used: {described(error)}.") from error


def _refused(options: S3Options, right: str, error: ClientError) -> StorageUnusable:
    code = error_code(error)
    if code in _WRONG_REGION:
        details = error.response.get("Error", {})
        headers = error.response.get("ResponseMetadata", {}).get("HTTPHeaders", {})
        return StorageUnusable(_wrong_region(options, headers.get("x-amz-bucket-region") or details.get("Region")))
    if code in _DENIED:
        return _denied(options, right, code)
    text = f"The bucket {options.bucket} cannot be used: {described(error)}."
    return StorageUnusable(_MESSAGES.get(code, text).format(bucket=options.bucket, service=options.service, code=code))


def _denied(options: S3Options, right: str, code: str) -> StorageUnusable:
    return StorageUnusable(
        f"The credentials may not {right} in the bucket {options.bucket} ({code}). Give them the right to."
    )


def _wrong_region(options: S3Options, region: str | None) -> str:
    where = f"in the region {region}" if region else "in another region"
    return f"The bucket {options.bucket} is {where}, not {options.region}: set WONDER_S3_REGION."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
