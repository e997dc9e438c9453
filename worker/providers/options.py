"""Options of a provider's type, as its entry in the file has them."""

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from domain.errors import SettingsError
from domain.provider_settings import ProviderEntry, complaints

Options = TypeVar("Options", bound=BaseModel)


def read_options(entry: ProviderEntry, kind: type[Options]) -> Options:
    """Return a type's options; raises `SettingsError` with the provider's name and the option's."""
    try:
        return kind.model_validate(entry.options)
    except ValidationError as error:
        lines = [f"provider {entry.name}, options.{line}" for line in complaints(error)]
        raise SettingsError("\n".join(lines)) from None
