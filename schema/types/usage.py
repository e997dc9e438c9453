"""What was asked of providers, and what it costs."""

from datetime import UTC, datetime, time, timedelta
from decimal import Decimal

import strawberry

from domain.spending import reports
from domain.spending.money import to_amount
from domain.spending.reports import Breakdown, Figures, Part, Span
from schema.context import Info
from schema.declare import described, output, resolved
from schema.types.project import Project


@output
class UsageFigures:
    """Counts and what they cost by the operator's prices; what was not charged for certain is not in them."""

    generations: int = described("Calls to providers, those for another round after a failed check included.")
    judgements: int = described("Looks of the judge.")
    pictures: int = described("Pictures and clips that were asked for.")
    cost: Decimal = described("What they cost; 0 where the operator has set no price.")

    @classmethod
    def of(cls, figures: Figures) -> "UsageFigures":
        """Return figures as the API shows them."""
        return cls(
            generations=figures.generations,
            judgements=figures.judgements,
            pictures=figures.pictures,
            cost=to_amount(figures.cost_micros),
        )


@output
class ProjectUsage:
    """What was used for one project."""

    figures: UsageFigures = described("How much.")
    project_id: strawberry.ID = described("The project's id, also once it is deleted.")

    @resolved
    async def project(self, info: Info) -> Project | None:
        """The project; null once it is deleted."""
        return await info.context.loaders.project.load(self.project_id)


@output
class ProviderUsage:
    """What was asked of one model of a provider."""

    provider: str = described("The provider's name.")
    model: str = described("The model.")
    figures: UsageFigures = described("How much.")


@output
class DayUsage:
    """What was used on one day."""

    day: datetime = described("The day's first moment, in UTC.")
    figures: UsageFigures = described("How much.")


@output
class UserUsage:
    """What one user has used."""

    user_id: strawberry.ID = described("Who.")
    figures: UsageFigures = described("How much.")


@output
class Usage:
    """What was asked of providers on some days. Kept when tasks are cleaned up or deleted, gone with the account."""

    start: datetime = described("The first day's first moment, in UTC.", name="from")
    end: datetime = described("The last day's end, in UTC.", name="to")
    currency: str = described("The money of all costs, by ISO 4217: the operator's.")
    span: strawberry.Private[Span]

    @resolved
    async def total(self, info: Info) -> UsageFigures:
        """Everything together."""
        return UsageFigures.of(reports.total(await self._parts(info, Breakdown.DAY)))

    @resolved
    async def by_day(self, info: Info) -> list[DayUsage]:
        """The days with any use, in their order."""
        return [
            DayUsage(day=_midnight(part.key[0]), figures=UsageFigures.of(part.figures))
            for part in await self._parts(info, Breakdown.DAY)
        ]

    @resolved
    async def by_project(self, info: Info) -> list[ProjectUsage]:
        """The projects, those that cost most first; at most 1000."""
        return [
            ProjectUsage(project_id=strawberry.ID(part.key[0]), figures=UsageFigures.of(part.figures))
            for part in await self._parts(info, Breakdown.PROJECT)
        ]

    @resolved
    async def by_provider(self, info: Info) -> list[ProviderUsage]:
        """The providers' models, those that cost most first; at most 1000."""
        return [
            ProviderUsage(provider=part.key[0], model=part.key[1], figures=UsageFigures.of(part.figures))
            for part in await self._parts(info, Breakdown.PROVIDER)
        ]

    @resolved
    async def by_user(self, info: Info) -> list[UserUsage]:
        """The users, those that cost most first, at most 1000: one alone unless an administrator asks for everybody."""
        return [
            UserUsage(user_id=strawberry.ID(part.key[0]), figures=UsageFigures.of(part.figures))
            for part in await self._parts(info, Breakdown.USER)
        ]

    async def _parts(self, info: Info, by: Breakdown) -> list[Part]:
        return await info.context.services.spending.parts(self.span, by)

    @classmethod
    def of(cls, span: Span, currency: str) -> "Usage":
        """Return the use on some days as the API shows it."""
        first, last = (datetime.combine(day, time(), UTC) for day in (span.first, span.last))
        return cls(start=first, end=last + timedelta(days=1), currency=currency, span=span)


def _midnight(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)
