"""Having a request made, by the next provider when the first cannot be had and nothing was paid."""

from dataclasses import replace

from domain.lifecycle import TaskStage
from worker.artifacts import GenerationRequest, GenerationResult
from worker.pipeline.charging import charged
from worker.pipeline.run import Run, Tools, tell
from worker.pipeline.source_image import load_reference_images
from worker.providers.base import ProgressCallback, Provider, ProviderError
from worker.providers.errors import BAD_ANSWER
from worker.providers.registry import AnyProvider


async def ask(
    run: Run, tools: Tools, provider: Provider, request: GenerationRequest, progress: ProgressCallback
) -> tuple[Provider, GenerationResult]:
    """Return what a provider made, or the one that took its place, and who it was: the run goes on with that one.

    A provider that was asked for by name is not replaced. Raises `ProviderError` and `BudgetExceeded`.
    """
    task, tried = run.task, [provider.name]
    while True:
        try:
            prepared = await with_references(run, tools, request, provider)
            async with charged(run, tools, provider, prepared):
                result = await provider.generate(prepared, progress)
        except ProviderError as error:
            if await _is_asked_again(run, tools, provider, error):
                continue
            movable = error.unpaid and task.requested_provider is None
            other = tools.providers.alternative(task.kind, task.asset_type, tried) if movable else None
            if other is None:
                raise
            message = f"{provider.name} could not be had ({error.code}), generating with {other.name}"
            provider, run.provider_name = other, other.name
            tried.append(other.name)
            await tell(run, tools, TaskStage.ASSET_GENERATOR, 0, message, provider=other.name)
        else:
            run.paid |= tools.providers.is_paid(provider.name)
            return provider, result


async def _is_asked_again(run: Run, tools: Tools, provider: Provider, error: ProviderError) -> bool:
    """Note what a failure may have cost, and tell whether the same is asked for again at once.

    An answer that is no picture is like one that fails its checks: asked for again as often as those may be, in sight
    of all, and counted each time. What was made before it in this attempt is kept.
    """
    if error.unpaid or not tools.providers.is_paid(provider.name):
        return False
    run.paid = True
    limit = tools.deps.settings.max_quality_retries
    if error.code != BAD_ANSWER.code or run.bad_answers >= limit:
        return False
    run.bad_answers += 1
    message = f"{provider.name} answered with no picture, which counts: asking again, {run.bad_answers} of {limit}"
    await tell(run, tools, TaskStage.ASSET_GENERATOR, 0, message)
    return True


async def with_references(
    run: Run, tools: Tools, request: GenerationRequest, provider: AnyProvider
) -> GenerationRequest:
    """Return the request with the style's reference images, where the provider looks at them; they are read once."""
    if not provider.capabilities.reference_images or not run.style.reference_image_ids:
        return request
    if run.reference_images is None:
        run.reference_images = await load_reference_images(run.task, run.style, tools.storage)
    return replace(request, reference_images=run.reference_images)
