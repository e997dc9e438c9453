"""ComfyUI as an asynchronous provider: `POST /prompt`, progress from its socket, reconciled by `/history` and `/queue`.

Results come from `/view`.

Routes and bodies: ComfyUI 0.3.64 as it was run, and the source of later versions. A prompt's id is ours, made of the
job's name, so that a job whose creation was not heard of can be looked up. Later versions take a canonical UUID only.
"""

import contextlib
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from domain.kinds import AssetType
from worker.artifacts import GenerationRequest, GenerationResult
from worker.providers.base import Capabilities, JobDone, JobFailed, JobProgress, JobRunning, ProviderError
from worker.providers.comfyui.history import Finished, Image, Queued, images_of, outcome_of, queued
from worker.providers.comfyui.socket import ProgressSocket
from worker.providers.comfyui.workflow import SlotName, Workflow
from worker.providers.errors import BAD_ANSWER, INVALID_REQUEST, UNAVAILABLE, failure
from worker.providers.http.answer import Answer
from worker.providers.http.call import Call
from worker.providers.http.client import HttpClient
from worker.providers.http.refusal import Refusal, refusal_by_status
from worker.providers.pictures.plan import plan_shots
from worker.providers.pictures.provider import picture_capabilities
from worker.providers.pictures.shot import Painted, Shot
from worker.providers.pictures.size import FreeSizes
from worker.providers.pictures.work import PictureWork

DEFAULT_URL: Final = "http://127.0.0.1:8188"
_NAMES: Final = uuid.UUID("6f0c9e8a-2f5e-5e0e-9c43-7b1d1f8e6a10")


def judge_comfyui(answer: Answer, *, paid: bool, now: datetime) -> Refusal | None:
    """Return why an answer is none; a 400 says what is wrong with which node."""
    return refusal_by_status(answer, paid=paid, said=_complaint(answer.json_object()) or answer.text(), now=now)


class ComfyProvider:
    """Runs the operator's workflows. A sheet is one picture, with all its animations."""

    def __init__(
        self,
        work: PictureWork,
        client: HttpClient,
        workflows: Mapping[str, Workflow],
        sizes: FreeSizes,
        check_seconds: float,
        socket: ProgressSocket,
        asset_types: frozenset[AssetType] | None = None,
    ) -> None:
        self._work = work
        self._client = client
        self._workflows = workflows
        self._sizes = sizes
        self._check_seconds = check_seconds
        self._socket = socket
        self._capabilities = picture_capabilities(work.traits, asset_types, asynchronous=True)

    @property
    def name(self) -> str:
        """Stable name by which it is chosen."""
        return self._work.name

    @property
    def model(self) -> str:
        """What the operator calls his workflow."""
        return self._work.model

    @property
    def capabilities(self) -> Capabilities:
        """What it can make."""
        return self._capabilities

    @property
    def check_interval_seconds(self) -> float | None:
        """How often a job is asked about."""
        return self._check_seconds

    async def submit(self, request: GenerationRequest, job_id: str) -> str:
        """Queue a job under the id that follows from our name of it; raises `ProviderError`."""
        request = await self._work.prepared(request)
        shot = self._shot(request)
        workflow = self._workflow(request)
        width, height = self._sizes.choose(shot.width, shot.height)
        values: dict[SlotName, str | int] = {
            "prompt": shot.prompt,
            "negative": shot.negative_prompt,
            "seed": shot.seed,
            "width": width,
            "height": height,
        }
        if shot.source is not None:
            values["image"] = await self._upload(shot.source, job_id)
        graph = workflow.filled(values)
        body = {"prompt": graph, "prompt_id": _prompt_id(job_id), "client_id": self._socket.client_id}
        await self._socket.follow(_prompt_id(job_id), graph)
        try:
            answer = await self._client.send(Call("POST", "/prompt", json=body))
        except ProviderError:
            if await self._found(job_id):  # it was taken, and only the answer was lost
                return _prompt_id(job_id)
            raise
        data = answer.json_object()
        if data.get("node_errors"):  # some outputs are wrong, and with them what was asked for
            await self.cancel(_prompt_id(job_id))
            said = self._client.service.without_secrets(_complaint(data))
            raise failure(INVALID_REQUEST, self.name, said=said)
        return _prompt_id(job_id)

    async def _found(self, job_id: str) -> bool:
        with contextlib.suppress(ProviderError):
            return await self.find(job_id) is not None
        return False

    async def find(self, job_id: str) -> str | None:
        """Return the prompt's id when the server knows it: waiting, at work or done."""
        prompt_id = _prompt_id(job_id)
        if await self._history(prompt_id) is not None or await self._queued(prompt_id) is not None:
            return prompt_id
        # Between the two questions it may have gone from the queue into the history.
        return prompt_id if await self._history(prompt_id) is not None else None

    async def check(self, external_id: str) -> JobProgress:
        """Ask the history, and the queue; a job that neither knows was removed, or the server has been started anew."""
        entry = await self._history(external_id)
        if entry is None:
            if (job := await self._queued(external_id)) is not None:
                if self._socket.share(external_id) is None:  # of a process before this one, or beside it
                    await self._socket.take_over(job.client_id, external_id, job.graph)
                return JobRunning(self._socket.share(external_id), self._socket.preview(external_id))
            entry = await self._history(external_id)
        self._socket.forget(external_id)
        if entry is None:
            said = "It does not know the job any more: it was removed there, or the server was started anew."
            return JobFailed(failure(UNAVAILABLE, self.name, said=said, request_id=external_id))
        outcome = outcome_of(entry)
        if isinstance(outcome, Finished):
            return JobDone()
        said = self._client.service.without_secrets(outcome.said)
        return JobFailed(failure(outcome.kind, self.name, said=said, request_id=external_id))

    async def fetch(self, external_id: str, request: GenerationRequest) -> GenerationResult:
        """Return what the job has made; raises `ProviderError`."""
        entry = await self._history(external_id)
        found = images_of(entry or {}, self._workflow(request).output)
        if not found:
            raise failure(BAD_ANSWER, self.name, said="The workflow has saved no picture.")
        painted = Painted(await self._view(found[0]), request.seed, external_id)
        return await self._work.finished(request, [self._shot(request)], [painted])

    async def cancel(self, external_id: str) -> None:
        """Remove the job from the queue, or interrupt it where it is the one at work; others are left alone."""
        self._socket.forget(external_id)
        try:
            await self._client.send(Call("POST", f"/api/jobs/{external_id}/cancel", json={}, aside=True))
        except ProviderError as error:
            if error.code != INVALID_REQUEST.code:  # 404 and 405: a version that does not have it
                raise
            await self._client.send(Call("POST", "/queue", json={"delete": [external_id]}, aside=True))
            await self._client.send(Call("POST", "/interrupt", json={"prompt_id": external_id}, aside=True))

    def _shot(self, request: GenerationRequest) -> Shot:
        return plan_shots(request, self._work.traits, single=True)[0]

    def _workflow(self, request: GenerationRequest) -> Workflow:
        return self._workflows["image_to_image" if request.source_image is not None else "text_to_image"]

    async def _upload(self, data: bytes, job_id: str) -> str:
        files = [("image", f"wonder-{job_id}.png", data, "image/png")]
        answer = await self._client.send(Call("POST", "/upload/image", form={"type": "input"}, files=files))
        body = answer.json_object()
        folder, name = str(body.get("subfolder") or ""), str(body.get("name") or "")
        if not name:
            raise failure(BAD_ANSWER, self.name, said="It did not say what it calls the uploaded picture.")
        return f"{folder}/{name}" if folder else name

    async def _history(self, prompt_id: str) -> Mapping[str, object] | None:
        answer = await self._client.send(Call("GET", f"/history/{prompt_id}", aside=True))
        entry = self._read(answer).get(prompt_id)
        return entry if isinstance(entry, Mapping) else None

    async def _queued(self, prompt_id: str) -> Queued | None:
        answer = await self._client.send(Call("GET", "/queue", aside=True))
        return queued(self._read(answer), prompt_id)

    def _read(self, answer: Answer) -> Mapping[str, object]:
        """Return an answer's JSON: a page of some proxy says nothing of a job."""
        try:
            data = answer.json()
        except ValueError:
            data = None
        if not isinstance(data, dict):
            raise failure(BAD_ANSWER, self.name, said=self._client.service.without_secrets(answer.text()))
        return data

    async def _view(self, image: Image) -> bytes:
        query = {"filename": image.filename, "subfolder": image.subfolder, "type": image.type}
        return (await self._client.send(Call("GET", "/view", query=query, aside=True))).body


def _prompt_id(job_id: str) -> str:
    return str(uuid.uuid5(_NAMES, job_id))


def _complaint(body: Mapping[str, object]) -> str:
    """Return what a refusal says, with the first node at fault."""
    error = body.get("error")
    words = [str(error.get("message") or ""), str(error.get("details") or "")] if isinstance(error, Mapping) else []
    nodes = body.get("node_errors")
    for number, node in nodes.items() if isinstance(nodes, Mapping) else ():
        faults = node.get("errors") if isinstance(node, Mapping) else None
        first = faults[0] if isinstance(faults, list) and faults else None
        if isinstance(first, Mapping):
            words.append(f"node {number}: {first.get('message')}, {first.get('details')}")
    return " ".join(word for word in words[:4] if word)
