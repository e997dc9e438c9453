"""What one attempt at a task knows and works with."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from domain.lifecycle import TaskStage
from domain.models.tasks import Task
from domain.params import Params, params_from_json
from domain.ports import Storage
from domain.spending.ledger import Charge
from domain.styles import Style, style_from_json
from domain.tasks.deps import TaskDeps
from domain.tasks.work import Claim, step
from worker.artifacts import GenerationRequest, GenerationResult, Verdict
from worker.pipeline.prompts import BuiltPrompt
from worker.pipeline.retry import round_seed, variation_seed
from worker.process_pool import ProcessPool
from worker.providers.judge.judge import Judge
from worker.providers.registry import ProviderRegistry
from worker.unbroken import Unbroken


@dataclass(frozen=True, slots=True)
class Tools:
    """The engines of the process that stages use."""

    deps: TaskDeps
    storage: Storage
    providers: ProviderRegistry
    pool: ProcessPool
    #: What has to be heard to its end even when the task that began it is cancelled.
    unbroken: Unbroken = field(default_factory=Unbroken)
    #: A vision model that looks at what passed the measured checks, where one is set up.
    judge: Judge | None = None


@dataclass(frozen=True, slots=True)
class Parked:
    """The task waits for its provider and has no worker any more."""


@dataclass(slots=True)
class Candidate:
    """One picture, or sheet, of one round."""

    variation: int
    round: int
    seed: int
    prompt: BuiltPrompt
    result: GenerationResult
    #: How long the provider took.
    duration_seconds: float
    verdicts: tuple[Verdict, ...] = ()

    @property
    def passed(self) -> bool:
        """Tell whether every check was passed; only meaningful once it was measured."""
        return all(verdict.passed for verdict in self.verdicts)


@dataclass(slots=True)
class Run:
    """The state of one attempt as it goes from stage to stage."""

    claim: Claim
    params: Params
    style: Style
    provider_name: str
    source_image: bytes | None = None
    #: The style's, once they have been read.
    reference_images: tuple[bytes, ...] | None = None
    round: int = 0
    #: Variations, from 0, that still need a picture that passes.
    open_variations: list[int] = field(default_factory=list)
    #: The prompt of each open variation in this round.
    prompts: dict[int, BuiltPrompt] = field(default_factory=dict)
    #: Every candidate so far, by variation, oldest first.
    candidates: dict[int, list[Candidate]] = field(default_factory=dict)
    #: Calls that cost nothing, to be counted with the next step.
    uncounted: list[Charge] = field(default_factory=list)
    #: Whether something was made in this attempt that is, or may be, charged for.
    paid: bool = False
    #: How often a paid answer was no picture, and asked for again.
    bad_answers: int = 0
    #: Storage keys written by this run, for the case that it does not end well.
    written_keys: list[str] = field(default_factory=list)

    @property
    def task(self) -> Task:
        """The task's row as this run knows it."""
        return self.claim.task

    @property
    def base_seed(self) -> int:
        """The task's fixed seed."""
        return self.params.seed or 0

    def add(self, variation: int, seed: int, result: GenerationResult, duration_seconds: float) -> None:
        """Add what this round has brought for a variation."""
        candidate = Candidate(variation, self.round, seed, self.prompts[variation], result, duration_seconds)
        self.candidates.setdefault(variation, []).append(candidate)

    def newest(self) -> list[Candidate]:
        """Return the candidates of the present round."""
        return [found[-1] for found in self.candidates.values() if found and found[-1].round == self.round]


#: A stage: does its part and says which stage comes next; None when the task is complete.
Stage = Callable[[Run, Tools], Awaitable[TaskStage | Parked | None]]


def new_run(claim: Claim, provider_name: str) -> Run:
    """Return the state of an attempt that begins."""
    params = params_from_json(claim.task.params)
    return Run(
        claim=claim,
        params=params,
        style=style_from_json(claim.task.style),
        provider_name=provider_name,
        open_variations=list(range(params.count)),
    )


def picture_request(run: Run, variation: int) -> GenerationRequest:
    """Return what a provider is asked for: one variation of the present round."""
    prompt = run.prompts[variation]
    return GenerationRequest(
        task_id=run.task.id,
        asset_type=run.task.asset_type,
        kind=run.task.kind,
        subject=run.task.prompt,
        prompt=prompt.text,
        negative_prompt=prompt.negative,
        style=run.style,
        params=run.params,
        seed=round_seed(variation_seed(run.base_seed, variation), run.round),
        source_image=run.source_image,
    )


async def tell(
    run: Run,
    tools: Tools,
    stage: TaskStage,
    share: float,
    message: str,
    *,
    verdicts: Sequence[Mapping[str, object]] = (),
    **changes: object,
) -> None:
    """Write where the run stands, for all who watch, with a round's verdicts and calls; raises `OwnershipLost`."""
    calls = tuple(run.uncounted)
    await step(tools.deps, run.claim, stage, share, message, verdicts=verdicts, calls=calls, **changes)
    del run.uncounted[: len(calls)]
