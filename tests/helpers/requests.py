"""Requests to providers as the pipeline builds them, and what providers need to be called."""

from collections.abc import Callable
from typing import Any, TypeVar

from domain.kinds import AssetType, task_kind
from domain.params import Animation, ParamsRequest, resolve_params
from domain.styles import Style
from worker.artifacts import GenerationRequest, GenerationResult, Verdict
from worker.pipeline.prompts import build_prompt
from worker.quality.measure import QualitySubject, measure

A = TypeVar("A")
R = TypeVar("R")


def make_request(
    asset_type: str,
    subject: str = "a knight",
    *,
    style: Style | None = None,
    source: bytes | None = None,
    references: tuple[bytes, ...] = (),
    animations: tuple[tuple[str, int], ...] = (),
    **params: Any,
) -> GenerationRequest:
    """A request: asset type, subject, and by name style, source, references or any parameter."""
    kind = AssetType(asset_type)
    style = style or Style()
    moves = tuple(Animation(name, frames) for name, frames in animations)
    resolved = resolve_params(kind, ParamsRequest(animations=moves or None, **params))
    prompt = build_prompt(style, subject, kind, resolved)
    return GenerationRequest(
        task_id="tsk_1",
        asset_type=kind,
        kind=task_kind(kind, has_source_image=source is not None),
        subject=subject,
        prompt=prompt.text,
        negative_prompt=prompt.negative,
        style=style,
        params=resolved,
        seed=7,
        source_image=source,
        reference_images=references,
    )


async def run_here(function: Callable[[A], R], argument: A, /) -> R:
    """The picture pool of tests: this process."""
    return function(argument)


async def ignored(share: float) -> None:
    """Progress that nobody follows."""


def failed_checks(request: GenerationRequest, result: GenerationResult) -> list[Verdict]:
    """What the quality supervisor would send back."""
    subject = QualitySubject(request.asset_type, request.params, request.style, result.pictures, result.details)
    return [verdict for verdict in measure(subject) if not verdict.passed]
