"""What a client asks for, checked."""

import hashlib
from dataclasses import dataclass, field

from domain.dedupe import request_fingerprint
from domain.errors import InvalidInput
from domain.kinds import AssetType, TaskKind, task_kind
from domain.params import Params, ParamsRequest, resolve_params
from domain.styles import Style
from domain.text import checked_text

MAX_PROMPT = 4000
MAX_PRIORITY = 9
MAX_DEPENDENCIES = 20
MAX_KEY = 200


@dataclass(frozen=True, slots=True)
class GenerateRequest:
    """The input of `generate`, as it came."""

    project_id: str
    prompt: str
    asset_type: AssetType
    params: ParamsRequest = field(default_factory=ParamsRequest)
    priority: int = 0
    depends_on: tuple[str, ...] = ()
    source_image_id: str | None = None
    #: The task whose main picture is to be the source, once it has completed.
    source_task_id: str | None = None
    #: Of a batch: places of earlier requests, from 0, and of the one whose picture is to be the source.
    depends_on_indexes: tuple[int, ...] = ()
    source_index: int | None = None
    idempotency_key: str | None = None
    provider: str | None = None


@dataclass(frozen=True, slots=True)
class CheckedRequest:
    """The same, valid in itself; whether what it names exists is not yet known."""

    project_id: str
    prompt: str
    asset_type: AssetType
    kind: TaskKind
    #: Defaults filled in, the seed as asked (None: any).
    params: Params
    priority: int
    #: The source task among them.
    depends_on: tuple[str, ...]
    source_image_id: str | None
    source_task_id: str | None
    idempotency_key: str | None
    provider: str | None

    def fingerprint(self, style: Style) -> str:
        """Return what is equal for identical requests under this style."""
        return request_fingerprint(
            project_id=self.project_id,
            style=style,
            prompt=self.prompt,
            asset_type=self.asset_type,
            params=self.params,
            source_id=self.source_task_id if self.source_image_id is None else self.source_image_id,
            provider=self.provider,
            depends_on=self.depends_on,
        )

    def body_hash(self) -> str:
        """Return what an idempotency key is bound to: the whole request, whatever the project's style is by now."""
        return hashlib.sha256(f"{self.fingerprint(Style())}:{self.priority}".encode()).hexdigest()


def check_request(request: GenerateRequest) -> CheckedRequest:
    """Check everything that needs no rows; raises `InvalidInput` with the path of the field at fault."""
    if not 0 <= request.priority <= MAX_PRIORITY:
        raise InvalidInput(f"priority must be 0 to {MAX_PRIORITY}.", path=("input", "priority"))
    depends_on = _depends_on(request)
    key = request.idempotency_key
    if key is not None:
        key = checked_text(key, minimum=1, maximum=MAX_KEY, path=("input", "idempotencyKey"))
    return CheckedRequest(
        project_id=request.project_id,
        prompt=checked_text(request.prompt, minimum=1, maximum=MAX_PROMPT, path=("input", "prompt")),
        asset_type=request.asset_type,
        kind=task_kind(request.asset_type, has_source_image=_has_source(request)),
        params=resolve_params(request.asset_type, request.params),
        priority=request.priority,
        depends_on=depends_on,
        source_image_id=request.source_image_id,
        source_task_id=request.source_task_id,
        idempotency_key=key,
        provider=request.provider,
    )


def _depends_on(request: GenerateRequest) -> tuple[str, ...]:
    if request.depends_on_indexes or request.source_index is not None:
        field = "dependsOnIndexes" if request.depends_on_indexes else "sourceIndex"
        raise InvalidInput("Only an input of generateBatch can name another by its place.", path=("input", field))
    source = () if request.source_task_id is None else (request.source_task_id,)
    depends_on = tuple(dict.fromkeys((*request.depends_on, *source)))
    if len(depends_on) > MAX_DEPENDENCIES:
        raise InvalidInput(f"A task depends on at most {MAX_DEPENDENCIES} others.", path=("input", "dependsOn"))
    return depends_on


def _has_source(request: GenerateRequest) -> bool:
    if request.source_image_id is not None and request.source_task_id is not None:
        raise InvalidInput("Give one source: sourceImageId or sourceTaskId.", path=("input", "sourceTaskId"))
    return request.source_image_id is not None or request.source_task_id is not None
