"""Which providers are configured, and which one does a task."""

from collections.abc import Sequence

from domain.errors import InvalidInput, ProviderUnavailable
from domain.kinds import AssetType, TaskKind
from domain.ports import ProviderInfo
from worker.providers.base import AsynchronousProvider, Provider

AnyProvider = Provider | AsynchronousProvider


class ProviderRegistry:
    """Fills `domain.ports.ProviderCatalog` and hands the worker its providers; the first that fits is the default."""

    def __init__(self, providers: Sequence[AnyProvider]) -> None:
        self._providers = {provider.name: provider for provider in providers}

    def choose(self, kind: TaskKind, asset_type: AssetType, name: str | None) -> str:
        """Return the provider to use: the one asked for, else the first that does this kind of task."""
        if name is not None and name not in self._providers:
            known = ", ".join(self._providers) or "none"
            raise InvalidInput(f"There is no provider of this name; configured: {known}.", path=("input", "provider"))
        for provider in self._providers.values():
            fits = provider.capabilities.covers(kind, asset_type)
            if fits and name in (None, provider.name):
                return provider.name
        who = f"The provider {name}" if name is not None else "No configured provider"
        raise ProviderUnavailable(
            f"{who} can do {kind} for {asset_type}." if name is None else f"{who} cannot do {kind} for {asset_type}."
        )

    def get(self, name: str) -> AnyProvider:
        """Return a provider by its name; raises `ProviderUnavailable` when it is no longer configured."""
        try:
            return self._providers[name]
        except KeyError:
            raise ProviderUnavailable(f"The provider {name} is no longer configured.") from None

    def describe(self) -> Sequence[ProviderInfo]:
        """Return every configured provider, in order of preference."""
        return [
            ProviderInfo(
                name=provider.name,
                kinds=tuple(sorted(provider.capabilities.kinds)),
                asset_types=tuple(sorted(provider.capabilities.asset_types)),
                asynchronous=provider.capabilities.asynchronous,
                available=True,
                model=provider.model,
            )
            for provider in self._providers.values()
        ]
