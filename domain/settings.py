"""Settings: the only reader of the environment.

Every field is the variable `WONDER_<NAME>`, taken from the environment or from a `.env` file in the working folder (the
environment wins). What is wrong is refused at the start, by the variable's name and without its value.
"""

import os
import re
import ssl
from datetime import time
from decimal import Decimal
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Final, Literal, Self
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dotenv import dotenv_values
from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from domain.errors import SettingsError
from domain.spending.money import MAX_AMOUNT
from domain.web_addresses import web_address

PREFIX: Final = "WONDER_"
MIN_SECRET_BYTES: Final = 32
_LONGEST_SECONDS: Final = 604_800
#: Names of buckets, also those that only older or other services than Amazon's take.
_BUCKET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}")


class Settings(BaseSettings):
    """Everything an operator can set, with its default and its limits."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=".env",
        env_file_encoding="utf-8",
        extra="ignore",
        frozen=True,
        env_ignore_empty=True,
    )

    # where things are
    data_dir: Path = Field(Path("data"), description="Folder for the database, the signing key and stored files.")
    database_url: str = Field(
        "",
        description="`sqlite:///path` or `postgres://user:password@host/name`; empty: `wonder.db` in the data folder.",
    )
    auto_migrate: bool = Field(default=True, description="Whether `serve` brings the tables up to date by itself.")
    secret_key: SecretStr = Field(
        SecretStr(""),
        description="Key that signs tokens and addresses, at least 32 bytes; empty: made and kept in the data folder.",
    )
    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8000, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    public_url: str = Field(
        "", description="Address under which clients reach the server, for file addresses; empty: as the request says."
    )

    # stored files
    storage: Literal["local", "s3"] = Field("local", description="Where files are kept: a local folder, or a bucket.")
    s3_endpoint_url: str = Field("", description="Address of the S3 service; empty: Amazon's.")
    s3_bucket: str = Field("", validate_default=True, description="The bucket, which must exist.")
    s3_region: str = Field("", description="The bucket's region; empty: us-east-1.")
    s3_access_key_id: str = Field("", description="Access key; empty: as the AWS tools find theirs.")
    s3_secret_access_key: SecretStr = Field(
        SecretStr(""), validate_default=True, description="The secret that belongs to the access key."
    )
    s3_addressing_style: Literal["auto", "path", "virtual"] = Field(
        "auto", description="Whether the bucket stands in an address's path or host; auto: path with an own endpoint."
    )
    s3_ca_file: str = Field("", description="File of certificates to trust for the S3 service, in place of the usual.")
    s3_encryption: Literal["", "AES256", "aws:kms"] = Field(
        "", description="Server-side encryption to ask for; empty: as the bucket does by itself."
    )
    s3_kms_key_id: str = Field("", description="Key of `aws:kms` encryption; empty: the account's own.")
    s3_public_url: str = Field("", description="Address of the S3 service as clients reach it; empty: as the server.")
    cdn_base_url: str = Field("", description="Address of a CDN before the bucket; empty: addresses are presigned.")

    max_storage_bytes: int = Field(
        100_000_000_000, ge=0, le=2**53, description="Bytes that the files of a user may take; 0 for no limit."
    )
    max_project_storage_bytes: int = Field(
        0, ge=0, le=2**53, description="Bytes that the files of a project may take; 0 for no limit."
    )

    monthly_budget: Decimal | None = Field(
        None, ge=0, le=MAX_AMOUNT, description="What a user's tasks may cost in a month; empty for no limit."
    )
    currency: str = Field(
        "USD", pattern="^[A-Z]{3}$", description="The money in which prices and budgets are written, by ISO 4217."
    )

    # the queue and its workers
    workers: int = Field(3, ge=0, le=64, description="Tasks worked on at the same time; 0 only accepts and serves.")
    queue_capacity: int = Field(
        100, ge=1, le=100_000, description="Released tasks the queue holds; others wait as rows."
    )
    max_pending_tasks: int = Field(
        10_000, ge=1, le=10_000_000, description="Waiting tasks of all users, beyond which `generate` says QUEUE_FULL."
    )
    max_active_tasks: int = Field(3, ge=1, le=100_000, description="Active tasks a user may have.")
    generates_per_minute: int = Field(
        6000, ge=0, le=1_000_000, description="Requests for assets by one user; 0 for no limit."
    )
    uploads_per_minute: int = Field(
        600, ge=0, le=1_000_000, description="Pictures that one user may upload; 0 for no limit."
    )
    max_quality_retries: int = Field(3, ge=0, le=3, description="Rounds of regeneration after a failed quality check.")
    task_retries: int = Field(1, ge=0, le=10, description="Further attempts after an unrecoverable error.")
    task_retry_delay_seconds: float = Field(5, ge=0, le=3600, description="Wait before such an attempt.")
    max_worker_losses: int = Field(
        20, ge=1, le=1000, description="Times a task may lose its worker before it is FAILED as WORKER_LOST."
    )
    lease_seconds: float = Field(30, ge=2, le=3600, description="How long a worker owns a task without renewing.")
    release_interval_seconds: float = Field(30, ge=0.1, le=3600, description="Period of releasing waiting tasks.")
    reconcile_interval_seconds: float = Field(60, ge=0.1, le=3600, description="Period of finding lost tasks.")
    purge_interval_seconds: float = Field(5, ge=0.1, le=3600, description="Period of removing what was deleted.")
    expiry_interval_seconds: float = Field(
        3600, ge=1, le=604_800, description="Period of forgetting sessions, keys and messages that have run out."
    )
    orphans_interval_seconds: float = Field(
        21_600, ge=1, le=604_800, description="Period of looking for files that no row names."
    )
    orphan_grace_hours: float = Field(24, ge=1, le=8760, description="Age below which such a file is left alone.")
    cleanup_time: time = Field(time(2, 0), description="When, each day, old tasks are cleaned up, such as 02:00.")
    time_zone: str = Field("UTC", description="Time zone of that time, such as Europe/Berlin.")
    cleanup_after_days: int = Field(7, ge=1, le=3650, description="Age from which an ended task is cleaned up.")
    cleanup_keeps_assets: bool = Field(
        default=False, description="Whether tasks that made assets are spared by the clean-up; else their files go."
    )
    statistics_interval_seconds: float = Field(300, ge=1, le=86_400, description="Period of logging the figures.")
    figures_interval_seconds: float = Field(
        10,
        ge=1,
        le=3600,
        description="Period of adding up how tasks ended; every reader of figures adds what is newer.",
    )
    task_timeout_seconds: float = Field(600, ge=1, le=86_400, description="Longest work on one attempt, then TIMEOUT.")
    task_timeouts: Annotated[tuple[tuple[str, float], ...], NoDecode] = Field(
        (), description="The same for some kinds or providers, such as `IMAGE_TO_VIDEO=1800,comfyui=900`."
    )
    task_life_seconds: float = Field(
        7200, ge=1, le=604_800, description="Longest time from the start of a task to its end, then TIMEOUT."
    )
    task_life_limits: Annotated[tuple[tuple[str, float], ...], NoDecode] = Field(
        (), description="The same for some kinds or providers, such as `TEXT_TO_VIDEO=10800`."
    )
    check_interval_seconds: float = Field(
        120, ge=0.1, le=3600, description="Wait between two questions to a provider about a job."
    )
    check_intervals: Annotated[tuple[tuple[str, float], ...], NoDecode] = Field(
        (), description="The same for some kinds or providers, such as `kling=30`; else as the provider suggests."
    )
    max_checks: int = Field(30, ge=1, le=100_000, description="Questions about one job, then TIMEOUT.")
    external_limit_seconds: float = Field(
        3600, ge=1, le=604_800, description="Longest wait for a provider's job, then TIMEOUT."
    )
    external_limits: Annotated[tuple[tuple[str, float], ...], NoDecode] = Field(
        (), description="The same for some kinds or providers, such as `runway=1800`."
    )
    check_timeout_seconds: float = Field(
        30, ge=0.05, le=300, description="Longest wait for an answer to a question about a job."
    )
    checks_per_second: float = Field(
        10, gt=0, le=1000, description="Questions about jobs that one provider is asked in a second."
    )
    shutdown_grace_seconds: float = Field(10, ge=0, le=600, description="Time that SIGTERM leaves to running tasks.")
    image_processes: int = Field(2, ge=1, le=64, description="Processes for picture work.")
    builtin_provider: bool = Field(default=True, description="Whether the built-in procedural generator is offered.")
    providers_file: Path | None = Field(
        None, description="TOML file with the providers and the judge, as docs/providers.md describes it."
    )
    openai_base_url: str = Field(
        "", description="Server of OpenAI's dialect, such as http://127.0.0.1:1234/v1; empty: OpenAI's own."
    )
    openai_api_key: SecretStr = Field(SecretStr(""), description="Key for it; empty: none is sent.")
    openai_image_model: str = Field("", description="Image model to ask it for; empty: a current one of OpenAI's.")
    judge_base_url: str = Field(
        "", description="Chat server of OpenAI's dialect whose vision model judges pictures; empty: OpenAI's own."
    )
    judge_api_key: SecretStr = Field(SecretStr(""), description="Key for it; empty: none is sent.")
    judge_model: str = Field("", description="Vision model to ask; empty: nobody judges, the checks alone decide.")
    idempotency_hours: float = Field(24, gt=0, le=720, description="How long an idempotency key is remembered.")

    # accounts
    access_token_minutes: float = Field(15, gt=0, le=1440, description="Life of an access token.")
    refresh_token_days: float = Field(
        30, gt=0, le=365, description="Life of a refresh token; each use gives a new one."
    )
    bcrypt_cost: int = Field(12, ge=4, le=16, description="Work factor of password hashes.")
    signups_per_minute: int = Field(600, ge=0, le=100_000, description="Sign-ups from one address; 0 for no limit.")
    logins_per_minute: int = Field(600, ge=0, le=100_000, description="Log-ins from one address; 0 for no limit.")
    signups: bool = Field(default=True, description="Whether anyone may sign up; otherwise `wonder create-admin`.")

    # the web
    production: bool = Field(
        default=False, description="Whether GraphiQL and introspection are off unless they are set."
    )
    graphiql: bool = Field(default=True, description="Whether GraphiQL is served to browsers at /graphql.")
    introspection: bool = Field(default=True, description="Whether the schema can be read through introspection.")
    trusted_documents: str = Field(
        "", description="File of documents that clients ask for by id: Relay's map or Apollo's manifest."
    )
    trusted_documents_only: bool = Field(default=False, description="Whether nothing but those documents is run.")
    max_body_bytes: int = Field(1_048_576, ge=1024, le=2**30, description="Largest request body.")
    file_url_seconds: int = Field(3600, ge=10, le=604_800, description="How long a file's address stays good.")
    allowed_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Further origins, comma-separated, whose pages may call the API."
    )
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = Field(
        ("127.0.0.1", "::1"),
        description="Addresses and networks, comma-separated, of proxies whose X-Forwarded-For is believed.",
    )
    max_connections_per_address: int = Field(
        500, ge=0, le=1_000_000, description="Connections from one address, idle ones included; 0 for no limit."
    )
    max_sockets_per_address: int = Field(
        200, ge=0, le=1_000_000, description="Sockets and streams from one address; 0 for no limit."
    )
    trusted_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        ("localhost", "127.0.0.1", "[::1]"),
        description="Host names, comma-separated, under which the server answers; `*` takes all.",
    )

    # webhooks
    webhook_private_targets: bool = Field(
        default=False, description="Whether webhooks may point into the server's own network, loopback included."
    )
    webhook_log_days: float = Field(30, gt=0, le=3650, description="How long the log of webhook messages goes back.")

    # the log
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", description="Least level that is logged.")
    log_format: Literal["text", "json"] = Field("text", description="`json` writes one object a line.")

    @field_validator("allowed_origins", "trusted_hosts", "trusted_proxies", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(item.strip() for item in value.split(",") if item.strip())
        return value

    @field_validator("task_timeouts", "task_life_limits", "check_intervals", "external_limits", mode="before")
    @classmethod
    def _name_and_seconds(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        pairs = []
        for item in filter(None, (part.strip() for part in value.split(","))):
            name, _, number = item.partition("=")
            seconds = _number(number)
            if not name.strip() or seconds is None or not 0 < seconds <= _LONGEST_SECONDS:
                raise ValueError(f"must be NAME=seconds, comma-separated, each up to {_LONGEST_SECONDS} seconds")
            pairs.append((name.strip(), seconds))
        return tuple(pairs)

    @model_validator(mode="after")
    def _closed_in_production(self) -> Self:
        if self.production:
            for name in {"graphiql", "introspection"} - self.model_fields_set:
                self.__dict__[name] = False  # frozen, and not handed out yet
        return self

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for network in value:
            try:
                ip_network(network)
            except ValueError:
                raise ValueError("must hold IP addresses or networks, such as 10.0.0.0/8") from None
        return value

    @field_validator("secret_key")
    @classmethod
    def _long_enough(cls, value: SecretStr) -> SecretStr:
        length = len(value.get_secret_value().encode())
        if 0 < length < MIN_SECRET_BYTES:
            raise ValueError(f"must be at least {MIN_SECRET_BYTES} bytes long")
        return value

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: str) -> str:
        if value and urlsplit(value).scheme not in {"sqlite", "postgres", "postgresql"}:
            raise ValueError("must begin with sqlite:// or postgres://")
        return value.replace("postgresql://", "postgres://", 1)

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError("must be the name of a time zone, such as UTC or Asia/Shanghai") from None
        return value

    @field_validator(
        "public_url", "openai_base_url", "judge_base_url", "s3_endpoint_url", "s3_public_url", "cdn_base_url"
    )
    @classmethod
    def _web_address(cls, value: str) -> str:
        return web_address(value) if value else ""

    @field_validator("public_url", "s3_endpoint_url", "s3_public_url", "cdn_base_url")
    @classmethod
    def _nothing_behind_the_path(cls, value: str) -> str:
        if "?" in value or "#" in value:
            raise ValueError("must end with its path, without ? and #: more is put behind it")
        return value

    @field_validator("s3_bucket")
    @classmethod
    def _bucket_named(cls, value: str, info: ValidationInfo) -> str:
        if not value and info.data.get("storage") == "s3":
            raise ValueError("must be set when WONDER_STORAGE is s3")
        if value and not _BUCKET.fullmatch(value):
            raise ValueError("must be the name of a bucket: letters, digits, dots, dashes and underscores")
        return value

    @field_validator("s3_secret_access_key")
    @classmethod
    def _with_its_key(cls, value: SecretStr, info: ValidationInfo) -> SecretStr:
        if bool(value.get_secret_value()) != bool(info.data.get("s3_access_key_id")):
            raise ValueError("must be set together with WONDER_S3_ACCESS_KEY_ID, or neither of them")
        return value

    @field_validator("s3_ca_file")
    @classmethod
    def _existing_file(cls, value: str) -> str:
        if value and not Path(value).is_file():
            raise ValueError("must be a file that exists")
        try:
            ssl.create_default_context(cafile=value or None)
        except (ssl.SSLError, OSError):
            raise ValueError("must be a file of certificates, in PEM") from None
        return value

    @field_validator("s3_kms_key_id")
    @classmethod
    def _with_its_encryption(cls, value: str, info: ValidationInfo) -> str:
        if value and info.data.get("s3_encryption") != "aws:kms":
            raise ValueError("goes with WONDER_S3_ENCRYPTION=aws:kms only")
        return value

    @field_validator("cdn_base_url")
    @classmethod
    def _before_a_bucket(cls, value: str, info: ValidationInfo) -> str:
        if value and info.data.get("storage") != "s3":
            raise ValueError("goes with WONDER_STORAGE=s3 only")
        return value

    @property
    def resolved_database_url(self) -> str:
        """The database to use: the one set, or SQLite in the data folder."""
        return self.database_url or f"sqlite://{self.data_dir.absolute() / 'wonder.db'}"


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def read_variable(name: str, env_file: Path = Path(".env")) -> str:
    """Return a variable that the settings name, such as one with a key: of the environment, else of the file."""
    if value := os.environ.get(name):
        return value
    return (dotenv_values(env_file).get(name) if env_file.is_file() else None) or ""


def variable_name(field: str) -> str:
    """Return the environment variable of a field."""
    return PREFIX + field.upper()


def load_settings(**overrides: object) -> Settings:
    """Read the settings; `overrides` are those given on the command line.

    Raises `SettingsError` that names each variable at fault and what it takes, never a value.
    """
    try:
        return Settings(**overrides)  # type: ignore[arg-type]  # checked by pydantic itself
    except ValidationError as error:
        lines = []
        for item in error.errors(include_input=False, include_url=False, include_context=False):
            field = str(item["loc"][0]) if item["loc"] else "settings"
            about = Settings.model_fields[field].description if field in Settings.model_fields else None
            text = item["msg"].removeprefix("Value error, ")
            lines.append(f"{variable_name(field)}: {text}." + (f" It means: {about}" if about else ""))
        raise SettingsError("\n".join(lines)) from None


def unknown_variables(env_file: Path = Path(".env")) -> list[str]:
    """Return the `WONDER_*` variables, set here or in the file, that no setting reads: likely slips of the pen."""
    known = {variable_name(field) for field in Settings.model_fields}
    present = set(os.environ) | set(dotenv_values(env_file) if env_file.is_file() else ())
    return sorted(name for name in present if name.upper().startswith(PREFIX) and name.upper() not in known)
