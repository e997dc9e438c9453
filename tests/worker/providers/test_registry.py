"""Which provider does a task."""

from dataclasses import dataclass, field

import pytest

from domain.errors import InvalidInput, ProviderUnavailable
from domain.kinds import AssetType, TaskKind
from tests.helpers.clients import Seconds
from tests.helpers.requests import ignored, make_request
from worker.artifacts import GenerationRequest, GenerationResult
from worker.providers.base import Capabilities, ProgressCallback
from worker.providers.health import Health
from worker.providers.registry import ProviderRegistry
from worker.providers.terms import Terms

SPRITE = (TaskKind.TEXT_TO_IMAGE, AssetType.SPRITE)


@dataclass
class Named:
    """A provider that is nothing but its name and what it claims."""

    name: str
    capabilities: Capabilities = field(
        default_factory=lambda: Capabilities(frozenset({TaskKind.TEXT_TO_IMAGE}), frozenset({AssetType.SPRITE}))
    )
    model: str = "m"

    async def generate(self, request: GenerationRequest, progress: ProgressCallback) -> GenerationResult:
        return GenerationResult((), self.name, self.model, None)


def registry_of(**terms: Terms) -> ProviderRegistry:
    return ProviderRegistry([Named(name) for name in terms], terms)


def down(reason: str = "It is down.") -> Health:
    health = Health(clock=Seconds())
    health.failed(reason, at_once=True)
    return health


def test_the_first_of_the_highest_priority_is_the_default() -> None:
    registry = registry_of(builtin=Terms(priority=-100), first=Terms(), second=Terms(), best=Terms(priority=3))
    assert registry.choose(*SPRITE, None) == "best"
    assert [info.name for info in registry.describe()] == ["best", "first", "second", "builtin"]


def test_one_that_is_down_is_passed_over_and_named_all_the_same() -> None:
    registry = registry_of(first=Terms(down()), second=Terms())
    assert registry.choose(*SPRITE, None) == "second"
    assert registry.choose(*SPRITE, "first") == "first"
    [first, second] = registry.describe()
    assert (first.available, first.unavailable_reason) == (False, "It is down.")
    assert (second.available, second.unavailable_reason) == (True, None)


def test_when_all_are_down_tasks_are_still_taken() -> None:
    assert registry_of(first=Terms(down()), second=Terms(down())).choose(*SPRITE, None) == "first"


def test_one_that_is_not_set_up_takes_no_tasks_and_says_why() -> None:
    registry = registry_of(first=Terms(Health(misconfigured="Its key is missing.")))
    for name in (None, "first"):
        with pytest.raises(ProviderUnavailable, match=r"first cannot be used\. Its key is missing\."):
            registry.choose(*SPRITE, name)


def test_what_nobody_does_and_nobody_is_called_is_told() -> None:
    registry = registry_of(first=Terms())
    with pytest.raises(ProviderUnavailable, match="No configured provider"):
        registry.choose(TaskKind.TEXT_TO_VIDEO, AssetType.VIDEO, None)
    with pytest.raises(ProviderUnavailable, match="first cannot do"):
        registry.choose(TaskKind.TEXT_TO_VIDEO, AssetType.VIDEO, "first")
    with pytest.raises(InvalidInput, match="configured: first"):
        registry.choose(*SPRITE, "second")


def test_the_next_one_is_the_best_that_was_not_tried_and_is_there() -> None:
    registry = registry_of(a=Terms(), b=Terms(down()), c=Terms(), d=Terms(Health(misconfigured="x")))
    other = registry.alternative(*SPRITE, ["a"])
    assert other is not None
    assert other.name == "c"
    assert registry.alternative(*SPRITE, ["a", "c"]) is None


def test_limits_and_prices_are_described() -> None:
    [info] = registry_of(a=Terms(concurrency=2, requests_per_minute=60, price_per_image=0.04)).describe()
    assert (info.concurrency, info.requests_per_minute, info.price_per_image) == (2, 60, 0.04)


async def test_the_providers_are_handed_out_by_name() -> None:
    registry = registry_of(a=Terms())
    provider = registry.get("a")
    assert isinstance(provider, Named)
    assert (await provider.generate(make_request("SPRITE"), ignored)).provider == "a"
    with pytest.raises(ProviderUnavailable, match="no longer configured"):
        registry.get("b")
