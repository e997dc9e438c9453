"""What `wonder check-config` says of the providers, without spending anything."""

import asyncio
from dataclasses import dataclass

from domain.clock import SystemClock
from domain.provider_settings import ProviderSettings
from domain.settings import Settings
from worker.process_pool import ProcessPool
from worker.providers.factory import ProviderFactory
from worker.providers.judge.judge import NAME
from worker.providers.probe import probe_all
from worker.resolver import SystemResolver
from worker.webhooks.post import trusted_authorities


@dataclass(frozen=True, slots=True)
class Finding:
    """What is to be said of one provider."""

    name: str
    model: str
    #: Empty when it can be used.
    complaint: str

    @property
    def title(self) -> str:
        """What it is called in a list."""
        return NAME if self.name == NAME else f"provider {self.name}"


def check_providers(settings: Settings, read: ProviderSettings, *, ask: bool) -> list[Finding]:
    """Return what is to be said of each provider, in order of preference; with `ask` each service is asked.

    Raises `SettingsError`.
    """
    return asyncio.run(_check(settings, read, ask=ask))


async def _check(settings: Settings, read: ProviderSettings, *, ask: bool) -> list[Finding]:
    resolver = SystemResolver()
    # No picture is made, so the pool launches no process.
    factory = ProviderFactory(ProcessPool(1).run, resolver.resolve, trusted_authorities(), SystemClock())
    made = factory.build(read.provider, builtin=settings.builtin_provider)
    if read.judge is not None:
        factory.judge(read.judge, made)
    try:
        complaints = await probe_all(made.probes) if ask else {}
        described = made.registry().describe()
    finally:
        await made.aclose()
        resolver.close()
    findings = [
        Finding(info.name, info.model, complaints.get(info.name) or info.unavailable_reason or "") for info in described
    ]
    if read.judge is not None:
        complaint = complaints.get(NAME) or read.judge.as_provider().missing
        findings.append(Finding(NAME, read.judge.model, complaint))
    return findings
