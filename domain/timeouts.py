"""How long a task may take, at work and in all, and how often a provider is asked about a job. Pure."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from domain.kinds import TaskKind
from domain.settings import Settings

#: Names of providers or of task kinds, each with its seconds.
Overrides = tuple[tuple[str, float], ...]


def work_seconds(settings: Settings, kind: TaskKind, provider: str | None) -> float:
    """Return how long one worker may work on one attempt: the provider's own limit, else the kind's, else for all."""
    return _chosen(settings.task_timeouts, provider, kind, settings.task_timeout_seconds)


def life_seconds(settings: Settings, kind: TaskKind, provider: str | None) -> float:
    """Return how long a task may take from the start of its first attempt on, waiting for a provider included."""
    return _chosen(settings.task_life_limits, provider, kind, settings.task_life_seconds)


def life_ends_at(settings: Settings, kind: TaskKind, provider: str | None, started_at: datetime) -> datetime:
    """Return when a task that was begun then is over, whatever it is doing."""
    return started_at + timedelta(seconds=life_seconds(settings, kind, provider))


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """How a parked task is asked about."""

    interval_seconds: float
    max_checks: int
    #: From the moment of parking on.
    limit_seconds: float


def check_plan(settings: Settings, kind: TaskKind, provider: str, own_interval_seconds: float | None) -> CheckPlan:
    """Return how a provider is asked about its jobs.

    The interval is the one set for this provider, else the provider's own, else the one for all. `max_checks` belongs
    to the last of these: with a shorter interval there are more checks in the same time.
    """
    everyone = settings.check_interval_seconds
    own = everyone if own_interval_seconds is None else own_interval_seconds
    interval = _chosen(settings.check_intervals, provider, kind, own)
    limit = _chosen(settings.external_limits, provider, kind, settings.external_limit_seconds)
    return CheckPlan(interval, max(math.ceil(settings.max_checks * everyone / interval), 1), limit)


def _chosen(overrides: Overrides, provider: str | None, kind: TaskKind, default: float) -> float:
    known = dict(overrides)
    for name in (provider, kind.value):
        if name is not None and name in known:
            return known[name]
    return default
