"""Asking a service for something that costs nothing, to learn whether it is there and takes the key."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from worker.providers.base import ProviderError
from worker.providers.errors import INVALID_REQUEST
from worker.providers.http.call import Call
from worker.providers.http.client import HttpClient

_log = logging.getLogger(__name__)
#: How long anybody waits for it.
PROBE_SECONDS: Final = 15.0


@dataclass(frozen=True, slots=True)
class Probe:
    """A request that reads something, by the provider's own client."""

    provider: str
    client: HttpClient
    call: Call

    async def run(self) -> str | None:
        """Return what is wrong, for people; None when the service is there and lets us in.

        A service that does not know the request has answered it: its key is not known to be wrong.
        """
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                await self.client.send(self.call)
        except ProviderError as error:
            return None if error.code == INVALID_REQUEST.code else error.message
        except TimeoutError:
            return f"{self.provider} did not answer within {PROBE_SECONDS:g} s."
        return None


async def probe_all(probes: Sequence[Probe]) -> dict[str, str | None]:
    """Ask every service at the same time; returns what is wrong with each, by the provider's name."""
    found = await asyncio.gather(*(probe.run() for probe in probes))
    return {probe.provider: complaint for probe, complaint in zip(probes, found, strict=True)}


async def log_probes(probes: Sequence[Probe]) -> None:
    """Ask every service and log what is wrong; its provider's health knows it by then."""
    for name, complaint in (await probe_all(probes)).items():
        if complaint is None:
            _log.info("provider %s is ready", name)
        else:
            _log.warning("provider %s: %s", name, complaint)
