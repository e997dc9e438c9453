"""Which providers there are, from a TOML file and from the environment.

Keys are never in the file: it names the variables that hold them. What is wrong is refused at the start, with the place
in the file and without a value.
"""

import ipaddress
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

from domain.errors import SettingsError
from domain.kinds import AssetType
from domain.settings import Settings, read_variable, variable_name

ProviderType = Literal[
    "openai",
    "automatic1111",
    "comfyui",
    "gemini",
    "stability",
    "seedream",
    "seedance",
    "wan-image",
    "wan-video",
    "kling",
    "minimax",
    "replicate-image",
    "replicate-video",
    "fal-image",
    "fal-video",
    "flux",
    "luma",
    "runway",
]
#: The variable in which each service's own tools look for the key; none for servers of one's own.
_KEY_VARIABLES: Final[dict[str, str]] = {
    "openai": "OPENAI_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "stability": "STABILITY_API_KEY",
    "seedream": "ARK_API_KEY",
    "seedance": "ARK_API_KEY",
    "wan-image": "DASHSCOPE_API_KEY",
    "wan-video": "DASHSCOPE_API_KEY",
    "kling": "KLING_ACCESS_KEY",
    "minimax": "MINIMAX_API_KEY",
    "replicate-image": "REPLICATE_API_TOKEN",
    "replicate-video": "REPLICATE_API_TOKEN",
    "fal-image": "FAL_KEY",
    "fal-video": "FAL_KEY",
    "flux": "BFL_API_KEY",
    "luma": "LUMAAI_API_KEY",
    "runway": "RUNWAYML_API_SECRET",
}
#: The same of the secret that some keys come with.
_SECRET_VARIABLES: Final = {"kling": "KLING_SECRET_KEY"}
_OWN_SERVERS: Final = frozenset({"automatic1111", "comfyui"})
#: The built-in generator's.
_RESERVED: Final = "builtin"
_JUDGE: Final = "judge"
_PRINTABLE: Final = re.compile(r"[\x21-\x7e]+")
_LOCAL_SUFFIXES: Final = (".local", ".localhost", ".internal", ".lan", ".home.arpa")


def checked_address(value: str) -> str:
    """Return a service's address without a slash at its end; raises `ValueError`."""
    parts = urlsplit(value)
    if value and (parts.scheme not in {"http", "https"} or not parts.hostname):
        raise ValueError("must begin with http:// or https://")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("must hold no user name, password or query; keys are in the variable of api_key_env")
    return value.rstrip("/")


class ProviderEntry(BaseModel):
    """One `[[provider]]`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]
    type: ProviderType
    enabled: bool = True
    #: Empty: the service's own.
    base_url: str = ""
    #: The variable that holds the key. None: the service's usual one; empty: no key is sent.
    api_key_env: str | None = None
    #: The variable that holds the secret belonging to the key. None: the usual one; empty: the key has none.
    secret_key_env: str | None = None
    model: str = Field(default="", max_length=200)
    #: A server of one's own: nothing is paid there, and downloads may come from a private network. None: as the
    #: address says.
    local: bool | None = None
    #: Higher comes first; the built-in generator has -100.
    priority: int = Field(default=0, ge=-1000, le=1000)
    #: Requests at the same time, and in a minute, for its key.
    concurrency: int = Field(default=4, ge=1, le=64)
    requests_per_minute: int | None = Field(default=None, ge=1, le=100_000)
    #: For usage, budgets and the estimated cost in an asset's provenance, in whatever money the operator counts.
    price_per_image: float | None = Field(default=None, ge=0, le=10_000)
    connect_seconds: float = Field(default=5, gt=0, le=60)
    timeout_seconds: float = Field(default=300, gt=0, le=3600)
    #: None: whatever the type can do.
    asset_types: tuple[AssetType, ...] | None = None
    #: What belongs to the type.
    options: dict[str, Any] = Field(default_factory=dict)
    #: Read from the variable; never from the file.
    key: SecretStr = Field(default=SecretStr(""), exclude=True)
    secret: SecretStr = Field(default=SecretStr(""), exclude=True)

    @field_validator("name")
    @classmethod
    def _not_reserved(cls, value: str) -> str:
        if value == _RESERVED:
            raise ValueError("is the name of the built-in generator")
        return value

    @field_validator("base_url")
    @classmethod
    def _web_address(cls, value: str) -> str:
        return checked_address(value)

    @model_validator(mode="after")
    def _keys_that_have_secrets(self) -> Self:
        if self.secret_key_env and self.type not in _SECRET_VARIABLES:
            raise ValueError(f"secret_key_env is for {', '.join(_SECRET_VARIABLES)}; other keys have no secret")
        return self

    @property
    def key_variable(self) -> str:
        """The variable that holds the key; empty when there is none to hold."""
        return _KEY_VARIABLES.get(self.type, "") if self.api_key_env is None else self.api_key_env

    @property
    def secret_variable(self) -> str:
        """The variable that holds the key's secret; empty when there is none to hold."""
        return _SECRET_VARIABLES.get(self.type, "") if self.secret_key_env is None else self.secret_key_env

    @property
    def is_local(self) -> bool:
        """Whether this is a server of one's own."""
        if self.local is not None:
            return self.local
        return looks_local(self.base_url) if self.base_url else self.type in _OWN_SERVERS

    @property
    def missing(self) -> str:
        """What is missing for it to be used, for people; empty when nothing is."""
        if not self.key_variable or (self.is_local and self.api_key_env is None):
            return ""
        if self.key.get_secret_value():
            has = self.secret.get_secret_value() or not self.secret_variable
            return "" if has else f"Its secret is missing: the variable {self.secret_variable} is not set."
        return f"Its key is missing: the variable {self.key_variable} is not set."


class JudgeEntry(BaseModel):
    """`[judge]`: a vision model behind a chat server of OpenAI's dialect."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field(min_length=1, max_length=200)
    base_url: str = ""
    api_key_env: str | None = None
    #: Least of its scores, 0 to 1, that is good enough.
    threshold: float = Field(default=0.6, gt=0, le=1)
    #: What one look costs, in whatever money the operator counts.
    price_per_look: float | None = Field(default=None, ge=0, le=10_000)
    concurrency: int = Field(default=2, ge=1, le=64)
    requests_per_minute: int | None = Field(default=None, ge=1, le=100_000)
    timeout_seconds: float = Field(default=60, gt=0, le=600)
    key: SecretStr = Field(default=SecretStr(""), exclude=True)

    def as_provider(self) -> ProviderEntry:
        """Return the service behind it as a provider is described; checks the address as one's is."""
        return ProviderEntry(
            name=_JUDGE,
            type="openai",
            model=self.model,
            base_url=self.base_url,
            api_key_env=self.api_key_env,
            concurrency=self.concurrency,
            requests_per_minute=self.requests_per_minute,
            timeout_seconds=self.timeout_seconds,
            key=self.key,
        )

    @field_validator("base_url")
    @classmethod
    def _web_address(cls, value: str) -> str:
        return checked_address(value)


class ProviderSettings(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    provider: tuple[ProviderEntry, ...] = ()
    judge: JudgeEntry | None = None

    @field_validator("provider")
    @classmethod
    def _names_differ(cls, value: tuple[ProviderEntry, ...]) -> tuple[ProviderEntry, ...]:
        names = [entry.name for entry in value]
        if _JUDGE in names:
            raise ValueError(f"{_JUDGE!r} is the name of the judge")
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two providers are called {name!r}")
        return value


def load_provider_settings(settings: Settings) -> ProviderSettings:
    """Return the providers of the file, their keys read, and the one of the environment; raises `SettingsError`."""
    read = _from_file(settings.providers_file) if settings.providers_file else ProviderSettings()
    entries = [with_key(entry) for entry in read.provider]
    wanted = settings.openai_api_key.get_secret_value() or settings.openai_base_url or settings.openai_image_model
    if wanted and all(entry.name != "openai" for entry in entries):
        entries.append(_openai_of_environment(settings))
    return read.model_copy(update={"provider": tuple(entries), "judge": _judge(read, settings)})


def _judge(read: ProviderSettings, settings: Settings) -> JudgeEntry | None:
    """Return the judge of the file, else that of the environment, with its key; None when there is none."""
    if read.judge is not None:
        return read.judge.model_copy(update={"key": with_key(read.judge.as_provider()).key})
    if not settings.judge_model:
        return None
    variable, key = variable_name("judge_api_key"), settings.judge_api_key.get_secret_value()
    return JudgeEntry(
        model=settings.judge_model,
        base_url=settings.judge_base_url,
        api_key_env=variable if key or not settings.judge_base_url else "",
        key=checked_key(key, variable),
    )


def looks_local(url: str) -> bool:
    """Tell whether an address is of this machine or a private network, by number or by a name that is not public."""
    host = (urlsplit(url).hostname or "").lower()
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.endswith(_LOCAL_SUFFIXES)
    return number.is_private or number.is_loopback


def checked_key(value: str, variable: str) -> SecretStr:
    """Return a key; raises `SettingsError` for one that no header can hold, without showing it."""
    key = value.strip()
    if key and not _PRINTABLE.fullmatch(key):
        raise SettingsError(f"{variable}: the key holds characters that no key has, such as spaces.")
    return SecretStr(key)


def with_key(entry: ProviderEntry) -> ProviderEntry:
    """Return an entry with the key, and its secret, that their variables hold."""
    read = {"key": entry.key_variable, "secret": entry.secret_variable}
    found = {name: checked_key(read_variable(variable), variable) for name, variable in read.items() if variable}
    return entry.model_copy(update=found) if found else entry


def _openai_of_environment(settings: Settings) -> ProviderEntry:
    variable = variable_name("openai_api_key")
    key = settings.openai_api_key.get_secret_value()
    entry = ProviderEntry(
        name="openai",
        type="openai",
        base_url=settings.openai_base_url,
        model=settings.openai_image_model,
        # A server that is not OpenAI's may want none.
        api_key_env=variable if key or not settings.openai_base_url else "",
    )
    return entry.model_copy(update={"key": checked_key(key, variable)})


def _from_file(path: Path) -> ProviderSettings:
    variable = variable_name("providers_file")
    try:
        data = tomllib.loads(path.read_text("utf-8"))
        return ProviderSettings.model_validate(data)
    except OSError as error:
        raise SettingsError(f"{variable}: {path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{variable}: {path} is not TOML: {error}.") from None
    except ValidationError as error:
        raise SettingsError("\n".join(f"{path}: {line}" for line in complaints(error, data))) from None


def complaints(error: ValidationError, data: dict[str, Any] | None = None) -> list[str]:
    """Return what is wrong, each with its place and without a value; providers go by their names."""
    lines = []
    for item in error.errors(include_input=False, include_url=False, include_context=False):
        place = [str(part) for part in item["loc"]]
        if data is not None and place[:1] == ["provider"] and len(place) > 1 and place[1].isdigit():
            place[:2] = [_called(data, int(place[1]))]
        lines.append(f"{'.'.join(place) or 'file'}: {item['msg'].removeprefix('Value error, ')}.")
    return lines


def _called(data: dict[str, Any], position: int) -> str:
    entry = data["provider"][position]
    name = entry.get("name") if isinstance(entry, dict) else None
    return f"provider {name}" if isinstance(name, str) else f"provider number {position + 1}"
