"""How a configured provider stands among the others: whether it can be used, in which order, and how much."""

from dataclasses import dataclass, field

from worker.providers.health import Health


@dataclass(frozen=True, slots=True)
class Terms:
    """What the registry knows of a provider beside the provider itself."""

    health: Health = field(default_factory=Health)
    #: Higher comes first; of equals the one configured first.
    priority: int = 0
    concurrency: int | None = None
    requests_per_minute: int | None = None
    price_per_image: float | None = None
    #: Whether what it makes is charged for, whatever that costs; not by a server of the operator's own.
    paid: bool = False
