import json
from pathlib import Path

import pytest

from domain.clock import SystemClock
from domain.models.jobs import ExternalJob
from domain.models.tasks import Task
from domain.storage.local import LocalStorage
from domain.storage.signing import UrlSigner
from worker.artifacts import GenerationResult, Picture
from worker.pipeline.job_results import load_result, store_result
from worker.providers.base import ProviderError

TASK = Task(id="tsk_1", user_id="usr_1", project_id="prj_1", attempt=1)
PICTURES = (Picture(b"one", 4, 3), Picture(b"two", 4, 3, "walk/1", "walk", 1))


@pytest.fixture
def storage(tmp_path: Path) -> LocalStorage:
    return LocalStorage(tmp_path, UrlSigner(b"k" * 32, SystemClock(), 3600))


@pytest.mark.parametrize(
    "result",
    [
        GenerationResult(PICTURES, "stub", "model-9", 7, "req-1", {"seen": ["slime"]}),
        GenerationResult((), "stub", "model-9", None, None, {}, b"an MP4"),
        GenerationResult((), "stub", "model-9", 7),
    ],
)
async def test_what_is_stored_comes_back_through_a_json_column(storage: LocalStorage, result: GenerationResult) -> None:
    kept = await store_result(storage, TASK, ExternalJob(id="job_1"), result)
    job = ExternalJob(id="job_1", result=json.loads(json.dumps(kept)))
    assert await load_result(storage, job) == result
    # Read twice, as an attempt does that begins again.
    assert await load_result(storage, job) == result


async def test_a_clip_that_is_gone_is_said_to_be_lost(storage: LocalStorage) -> None:
    kept = await store_result(storage, TASK, ExternalJob(id="job_1"), GenerationResult((), "s", "m", 1, clip=b"an MP4"))
    await storage.delete([str(kept["clip_key"])])
    with pytest.raises(ProviderError) as caught:
        await load_result(storage, ExternalJob(id="job_1", result=kept))
    assert (caught.value.code, caught.value.retryable) == ("RESULT_LOST", True)
