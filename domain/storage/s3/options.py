"""What the storage needs to know of a bucket and of the service that keeps it."""

from dataclasses import dataclass, field
from typing import Final, Literal
from urllib.parse import quote, urlsplit

from domain.settings import Settings

#: The region whose services have no other, and of most services that are not Amazon's.
DEFAULT_REGION: Final = "us-east-1"


@dataclass(frozen=True, slots=True)
class S3Options:
    """A bucket, how to reach it, and how files in it are addressed."""

    bucket: str
    #: Without a slash at the end; empty for Amazon's own.
    endpoint_url: str = ""
    region: str = DEFAULT_REGION
    #: Empty: whatever the usual AWS chain finds (variables, files, the machine's role).
    access_key_id: str = ""
    secret_access_key: str = field(default="", repr=False)
    addressing_style: Literal["auto", "path", "virtual"] = "auto"
    #: File with the certificates to trust in place of the usual ones; empty: those.
    ca_file: str = ""
    #: As the header `x-amz-server-side-encryption` takes it; empty: as the bucket does by itself.
    encryption: str = ""
    kms_key_id: str = ""
    #: Where clients reach the service, when that is not where this server does. Without a slash at the end.
    public_url: str = ""
    #: Where a CDN serves the bucket's content to everybody. Without a slash at the end.
    cdn_base_url: str = ""
    #: How long a presigned address is good at least.
    url_seconds: int = 3600
    #: How often a request is sent that fails in a way that may pass; waits grow between them.
    max_attempts: int = 5
    connect_timeout_seconds: float = 10
    read_timeout_seconds: float = 60

    @property
    def path_style(self) -> bool:
        """Whether addresses name the bucket in their path, and not in their host."""
        return self.addressing_style == "path" or (self.addressing_style == "auto" and bool(self.endpoint_url))

    def bucket_url(self, endpoint_url: str) -> str:
        """Return the address below which clients find the keys of the bucket, without a slash at the end.

        `endpoint_url` is where this server reaches the service.
        """
        base = self.public_url or endpoint_url
        if self.path_style:
            return f"{base}/{quote(self.bucket)}"
        scheme, _, rest = base.partition("://")
        return f"{scheme}://{self.bucket}.{rest}"

    @property
    def service(self) -> str:
        """Name the service for messages: the host alone, without credentials, path and query."""
        if not self.endpoint_url:
            return "Amazon S3"
        parts = urlsplit(self.endpoint_url)
        return "the S3 service at " + (f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname))


def s3_options(settings: Settings) -> S3Options:
    """Return the options that the settings hold."""
    return S3Options(
        bucket=settings.s3_bucket,
        endpoint_url=settings.s3_endpoint_url,
        region=settings.s3_region or DEFAULT_REGION,
        access_key_id=settings.s3_access_key_id,
        secret_access_key=settings.s3_secret_access_key.get_secret_value(),
        addressing_style=settings.s3_addressing_style,
        ca_file=settings.s3_ca_file,
        encryption=settings.s3_encryption,
        kms_key_id=settings.s3_kms_key_id,
        public_url=settings.s3_public_url,
        cdn_base_url=settings.cdn_base_url,
        url_seconds=settings.file_url_seconds,
    )
