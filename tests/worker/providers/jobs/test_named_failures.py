"""Failures of jobs tell which job it was, so that the service can be asked about it."""

import pytest

from worker.providers.base import JobDone, JobFailed, JobRunning
from worker.providers.errors import JOB_GONE, failure
from worker.providers.jobs.service import named


@pytest.mark.parametrize(
    ("external_id", "told"),
    [("cgt-1", "cgt-1"), ("fal-ai/flux/requests/9f1e", "9f1e"), ("1|https://x.example/get?id=1", None), ("", None)],
)
def test_a_failure_tells_the_id_of_its_job(external_id: str, told: str | None) -> None:
    error = failure(JOB_GONE, "studio", retry_after_seconds=7)
    found = named(JobFailed(error), external_id)
    assert isinstance(found, JobFailed)
    assert found.error.request_id == told
    assert found.error.message == error.message + (f" Its request id: {told}." if told else "")
    assert (found.error.code, found.error.retryable, found.error.retry_after_seconds) == (
        error.code,
        error.retryable,
        7,
    )
    assert (found.error.unpaid, found.error.outcome_unknown) == (error.unpaid, error.outcome_unknown)


def test_an_id_that_the_service_has_told_stays_and_nothing_is_told_twice() -> None:
    found = named(JobFailed(failure(JOB_GONE, "studio", request_id="req_1")), "cgt-1")
    assert isinstance(found, JobFailed)
    assert (found.error.request_id, found.error.message.count("request id")) == ("req_1", 1)


def test_jobs_that_have_not_failed_are_left_as_they_are() -> None:
    assert (named(JobDone(), "cgt-1"), named(JobRunning(0.5), "cgt-1")) == (JobDone(), JobRunning(0.5))
