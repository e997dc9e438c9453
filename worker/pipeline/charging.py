"""Counting each call to a provider, and holding it against the user's budget before it is made."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from domain.kinds import AssetType
from domain.models.tasks import Task
from domain.spending.ledger import Charge, Purpose, charge, give_back
from worker.artifacts import GenerationRequest
from worker.pipeline.run import Run, Tools
from worker.providers.base import ProviderError
from worker.providers.pictures.plan import MAX_CELLS
from worker.providers.registry import AnyProvider


def picture_count(request: GenerationRequest, *, asynchronous: bool) -> int:
    """Return how many pictures a service is asked for: a sheet is one for each animation, or for so many frames of it.

    Services of jobs paint a whole sheet at once.
    """
    if asynchronous or request.asset_type is not AssetType.SPRITESHEET:
        return 1
    return sum(-(-animation.frames // MAX_CELLS) for animation in request.params.animations)


def charge_of(task: Task, tools: Tools, provider: AnyProvider, pictures: int) -> Charge | None:
    """Return what a call is about to cost; None where nobody is left to be charged, since the project is deleted."""
    if task.user_id is None:
        return None
    return Charge(
        user_id=task.user_id,
        project_id=task.project_id,
        provider=provider.name,
        model=provider.model,
        purpose=Purpose.GENERATION,
        pictures=pictures,
        cost_micros=pictures * tools.providers.price_micros(provider.name),
        at=tools.deps.clock.now(),
    )


@asynccontextmanager
async def charged(run: Run, tools: Tools, provider: AnyProvider, request: GenerationRequest) -> AsyncIterator[None]:
    """Count the call that is made within; what certainly costs nothing after all is given back.

    Calls that have no price are counted with the next step, which saves a transaction. Raises `BudgetExceeded` before
    anything is asked.
    """
    item = charge_of(run.task, tools, provider, picture_count(request, asynchronous=False))
    if item is None:
        yield
    elif not item.cost_micros:
        yield
        run.uncounted.append(item)
    else:
        await charge(item, tools.deps.settings)
        try:
            yield
        except ProviderError as error:
            if error.unpaid:
                await give_back(item)
            raise


async def charge_judgement(run: Run, tools: Tools) -> Charge | None:
    """Count a look of the judge, and return what may be given back; raises `BudgetExceeded`."""
    if tools.judge is None or run.task.user_id is None:
        return None
    item = Charge(
        user_id=run.task.user_id,
        project_id=run.task.project_id,
        provider=tools.judge.name,
        model=tools.judge.model,
        purpose=Purpose.JUDGEMENT,
        pictures=0,
        cost_micros=tools.judge.price_micros,
        at=tools.deps.clock.now(),
    )
    if item.cost_micros:
        await charge(item, tools.deps.settings)
        return item
    run.uncounted.append(item)
    return None
