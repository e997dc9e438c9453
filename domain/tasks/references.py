"""What a request names: tasks, pictures, and in a batch the requests before it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from domain.errors import Conflict, DomainError, InvalidInput, NotFound
from domain.ids import IdPrefix, is_id, prefix_of
from domain.kinds import AssetType
from domain.models.projects import UploadedImage
from domain.models.tasks import Asset, Task
from domain.tasks.requests import CheckedRequest, GenerateRequest


@dataclass(frozen=True, slots=True)
class Submission:
    """The answer to a request: a task, and whether it was there before."""

    task: Task
    deduplicated: bool


async def check_references(user_id: str, checked: CheckedRequest) -> None:
    """Raise `NotFound` for what is not this user's or not there, in the same words; `InvalidInput` for no picture."""
    if checked.source_image_id is not None and not await _is_picture(user_id, checked.source_image_id):
        raise NotFound("There is no such image.", path=("input", "sourceImageId"))
    if checked.source_task_id is not None:
        await _check_source_task(user_id, checked.source_task_id)
    others = [task_id for task_id in checked.depends_on if is_id(task_id, IdPrefix.TASK)]
    found = await Task.filter(id__in=others, user_id=user_id).count() if others else 0
    if found != len(checked.depends_on):
        raise NotFound("One of the tasks to wait for does not exist.", path=("input", "dependsOn"))


def resolve_indexes(request: GenerateRequest, answers: Sequence[Submission | DomainError]) -> GenerateRequest:
    """Return a request of a batch with the tasks of the earlier requests that it names, which were answered so.

    Only earlier ones can be named, so there are no circles. Raises `InvalidInput` for a place that is not before its
    own, and `Conflict` for that of a refused request.
    """
    named = [_answered(index, answers, "dependsOnIndexes") for index in request.depends_on_indexes]
    request = replace(request, depends_on=(*request.depends_on, *named), depends_on_indexes=())
    if request.source_index is None:
        return request
    if request.source_image_id is not None or request.source_task_id is not None:
        raise InvalidInput(
            "Give one source: sourceImageId, sourceTaskId or sourceIndex.", path=("input", "sourceIndex")
        )
    source = _answered(request.source_index, answers, "sourceIndex")
    return replace(request, source_task_id=source, source_index=None)


def _answered(index: int, answers: Sequence[Submission | DomainError], field: str) -> str:
    if not 0 <= index < len(answers):
        raise InvalidInput(
            f"{index} is not the place of an earlier input; places count from 0, and this input is at {len(answers)}.",
            path=("input", field),
        )
    answer = answers[index]
    if isinstance(answer, DomainError):
        raise Conflict(
            f"Not accepted, because the input at {index}, which it names, was refused.", path=("input", field)
        )
    return answer.task.id


async def _check_source_task(user_id: str, task_id: str) -> None:
    task = await Task.filter(id=task_id, user_id=user_id).first() if is_id(task_id, IdPrefix.TASK) else None
    if task is None:
        raise NotFound("There is no such task.", path=("input", "sourceTaskId"))
    if task.asset_type is AssetType.VIDEO:
        raise InvalidInput("A VIDEO task makes no still picture to start from.", path=("input", "sourceTaskId"))


async def _is_picture(user_id: str, image_id: str) -> bool:
    """Tell whether the id is an uploaded image or an image asset of this user."""
    match prefix_of(image_id):
        case IdPrefix.IMAGE:
            return await UploadedImage.filter(id=image_id, user_id=user_id).exists()
        case IdPrefix.ASSET:
            asset = await Asset.filter(id=image_id, user_id=user_id).first()
            if asset is not None and not asset.media_type.startswith("image/"):
                raise InvalidInput("This asset is not a picture.", path=("input", "sourceImageId"))
            return asset is not None
        case _:
            return False
