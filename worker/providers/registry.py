"""Which providers are configured, and which one does a task."""

from collections.abc import Mapping, Sequence

from domain.errors import InvalidInput, ProviderUnavailable
from domain.kinds import AssetType, TaskKind
from domain.ports import ProviderInfo
from domain.spending.money import to_micros
from worker.providers.base import AsynchronousProvider, Provider
from worker.providers.terms import Terms

AnyProvider = Provider | AsynchronousProvider


class ProviderRegistry:
    """Fills `domain.ports.ProviderCatalog` and hands the worker its providers.

    The default is the first that fits and can be used now, by priority and then in the order of configuration; when
    none can, the first that may come back.
    """

    def __init__(self, providers: Sequence[AnyProvider], terms: Mapping[str, Terms] | None = None) -> None:
        self._terms = {provider.name: (terms or {}).get(provider.name, Terms()) for provider in providers}
        ordered = sorted(providers, key=lambda provider: -self._terms[provider.name].priority)
        self._providers = {provider.name: provider for provider in ordered}

    def choose(self, kind: TaskKind, asset_type: AssetType, name: str | None) -> str:
        """Return the provider to use: the one asked for, else the best that does this kind of task."""
        if name is not None:
            return self._named(kind, asset_type, name)
        fitting = self._fitting(kind, asset_type)
        usable = [one for one in fitting if not self._terms[one].health.misconfigured]
        for one in usable:
            if self._terms[one].health.unavailable_reason is None:
                return one
        if usable:
            return usable[0]
        if fitting:
            reason = self._terms[fitting[0]].health.misconfigured
            raise ProviderUnavailable(f"The provider {fitting[0]} cannot be used. {reason}")
        raise ProviderUnavailable(f"No configured provider can do {kind} for {asset_type}.")

    def alternative(self, kind: TaskKind, asset_type: AssetType, tried: Sequence[str]) -> Provider | None:
        """Return the next provider to ask after those that could not, None when there is none.

        Only those that answer at once: a task that has begun at once goes on so.
        """
        usable = map(self._providers.__getitem__, self._untried(kind, asset_type, tried))
        return next((one for one in usable if not isinstance(one, AsynchronousProvider)), None)

    def next_of_all(self, kind: TaskKind, asset_type: AssetType, tried: Sequence[str]) -> AnyProvider | None:
        """Return the next provider, whichever way it answers, for a task that has nothing yet from those before."""
        return next(map(self._providers.__getitem__, self._untried(kind, asset_type, tried)), None)

    def _untried(self, kind: TaskKind, asset_type: AssetType, tried: Sequence[str]) -> list[str]:
        fitting = self._fitting(kind, asset_type)
        return [name for name in fitting if name not in tried and self._terms[name].health.unavailable_reason is None]

    def get(self, name: str) -> AnyProvider:
        """Return a provider by its name; raises `ProviderUnavailable` when it is no longer configured."""
        try:
            return self._providers[name]
        except KeyError:
            raise ProviderUnavailable(f"The provider {name} is no longer configured.") from None

    def price_micros(self, name: str) -> int:
        """Return what one picture of a provider costs, in millionths of the operator's money; 0 for nothing counted."""
        terms = self._terms.get(name)
        return to_micros(terms.price_per_image) if terms is not None and terms.price_per_image else 0

    def is_paid(self, name: str) -> bool:
        """Tell whether what this provider makes is charged for."""
        terms = self._terms.get(name)
        return terms is not None and terms.paid

    def describe(self) -> Sequence[ProviderInfo]:
        """Return every configured provider, in order of preference."""
        return [self._info(provider) for provider in self._providers.values()]

    def _named(self, kind: TaskKind, asset_type: AssetType, name: str) -> str:
        if name not in self._providers:
            known = ", ".join(self._providers) or "none"
            raise InvalidInput(f"There is no provider of this name; configured: {known}.", path=("input", "provider"))
        if not self._providers[name].capabilities.covers(kind, asset_type):
            raise ProviderUnavailable(f"The provider {name} cannot do {kind} for {asset_type}.")
        if reason := self._terms[name].health.misconfigured:
            raise ProviderUnavailable(f"The provider {name} cannot be used. {reason}")
        return name

    def _fitting(self, kind: TaskKind, asset_type: AssetType) -> list[str]:
        return [name for name, one in self._providers.items() if one.capabilities.covers(kind, asset_type)]

    def _info(self, provider: AnyProvider) -> ProviderInfo:
        can, terms = provider.capabilities, self._terms[provider.name]
        reason = terms.health.unavailable_reason
        return ProviderInfo(
            name=provider.name,
            kinds=tuple(sorted(can.kinds)),
            asset_types=tuple(sorted(can.asset_types)),
            asynchronous=can.asynchronous,
            available=reason is None,
            model=provider.model,
            unavailable_reason=reason,
            seeds=can.seeds,
            transparency=can.transparency,
            reference_images=can.reference_images,
            concurrency=terms.concurrency,
            requests_per_minute=terms.requests_per_minute,
            price_per_image=terms.price_per_image,
        )
