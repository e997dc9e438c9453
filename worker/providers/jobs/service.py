"""A service of jobs in its own words, as the providers of pictures and of clips need it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar

from worker.providers.base import JobDone, JobFailed, JobProgress, ProviderError
from worker.providers.errors import (
    BAD_ANSWER,
    INVALID_REQUEST,
    JOB_GONE,
    OUTCOME_UNKNOWN,
    UNAVAILABLE,
    failure,
    with_request_id,
)
from worker.providers.http.answer import Answer
from worker.providers.http.call import Call
from worker.providers.http.client import HttpClient
from worker.providers.http.download import Download, Downloader, DownloadFailed

#: Returns where a service may tell that the job of a name has ended, None where it may not.
CallbackUrl = Callable[[str], str | None]
OrderT_contra = TypeVar("OrderT_contra", contravariant=True)
#: Longest wait for the creation of a job, which nothing interrupts.
CREATION_SECONDS: Final = 55.0
#: How long a creation waits for its turn before it gives the worker up; the task then waits without one.
CREATION_PATIENCE: Final = 3.0


@dataclass(frozen=True, slots=True)
class Look:
    """How a job stands and, once it is done, where its results lie."""

    progress: JobProgress
    urls: tuple[str, ...] = ()
    seed: int | None = None
    #: What the service says of its work; JSON data.
    report: Mapping[str, object] = field(default_factory=dict)


class JobService(Protocol[OrderT_contra]):
    """Creates jobs from orders. Every method raises `ProviderError`, as `AsynchronousProvider` says when."""

    async def create(self, order: OrderT_contra, job_id: str) -> str:
        """Create a job and return the service's id of it; `job_id` is our name of it."""
        ...

    async def find(self, job_id: str) -> str | None:
        """Return the service's id of the job that bears our name, None when there certainly is none."""
        ...

    async def look(self, external_id: str) -> Look:
        """Ask how a job stands."""
        ...

    async def cancel(self, external_id: str) -> None:
        """Tell that a job is not wanted any more."""
        ...


def creation(path: str, body: Mapping[str, object], headers: Mapping[str, str] | None = None) -> Call:
    """Return the request that creates a job, which is paid for."""
    return Call(
        "POST",
        path,
        json=body,
        headers=headers or {},
        paid=True,
        total_seconds=CREATION_SECONDS,
        patience_seconds=CREATION_PATIENCE,
    )


async def ask(client: HttpClient, call: Call) -> dict[str, object] | None:
    """Return what a service says of a job, beside the limits of its key; None when it does not know the job.

    A page of some proxy says nothing of a job: that raises `ProviderError`, as no answer does.
    """
    try:
        answer = await client.send(call)
    except ProviderError as error:
        if error.code == INVALID_REQUEST.code:
            return None
        raise
    return object_of(client, answer)


async def tell(client: HttpClient, call: Call) -> None:
    """Tell a service something of a job and take any answer; that it does not know the job is no error."""
    try:
        await client.send(call)
    except ProviderError as error:
        if error.code != INVALID_REQUEST.code:
            raise


def object_of(client: HttpClient, answer: Answer) -> dict[str, object]:
    """Return an answer's JSON object; raises `ProviderError` when it is none."""
    try:
        data = answer.json()
    except ValueError:
        data = None
    if not isinstance(data, dict):
        service = client.service
        said = service.without_secrets(answer.text())
        raise failure(BAD_ANSWER, service.name, said=said, request_id=answer.request_id)
    return data


def created_object(client: HttpClient, answer: Answer) -> dict[str, object]:
    """Return what a service says of a job that it has created; any other answer leaves open whether it has."""
    try:
        return object_of(client, answer)
    except ProviderError as error:
        said = "It took the request and answered with something else than a job."
        raise failure(OUTCOME_UNKNOWN, client.service.name, said=said, request_id=answer.request_id) from error


def created_id(client: HttpClient, answer: Answer, value: object) -> str:
    """Return the id of a job that was created; without one nobody knows what became of the request.

    The id goes into rows and messages, so one that repeats the key is none.
    """
    told = isinstance(value, str | int) and not isinstance(value, bool) and str(value)
    if told and not client.service.holds_secret(str(value)):
        return str(value)
    said = "It took the request and named no job."
    raise failure(OUTCOME_UNKNOWN, client.service.name, said=said, request_id=answer.request_id)


def gone(name: str, said: str = "") -> Look:
    """Return how a job stands that the service does not know any more, or has cancelled."""
    return Look(JobFailed(failure(JOB_GONE, name, said=said)))


def named(progress: JobProgress, external_id: str) -> JobProgress:
    """Return how a job stands; a failure tells the service's id of the job, for whoever asks the service about it."""
    return JobFailed(with_request_id(progress.error, external_id)) if isinstance(progress, JobFailed) else progress


def not_found_out(name: str) -> ProviderError:
    """Return the error of a service that cannot be asked for a job by our name."""
    return failure(OUTCOME_UNKNOWN, name, said="It cannot be asked for jobs by name.")


async def fetched(downloader: Downloader, name: str, look: Look, media_types: frozenset[str]) -> Download:
    """Return the first result of a job that is done; raises `ProviderError`.

    UNAVAILABLE is raised where fetching again may help, for which nothing has to be made anew.
    """
    if isinstance(look.progress, JobFailed):
        raise look.progress.error
    if not isinstance(look.progress, JobDone) or not look.urls:
        raise failure(BAD_ANSWER, name, said="There is nothing in the answer that could be fetched.")
    try:
        return await downloader.fetch(look.urls[0], media_types)
    except DownloadFailed as error:
        raise failure(UNAVAILABLE if error.passing else BAD_ANSWER, name, said=str(error)) from error
