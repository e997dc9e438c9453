"""Where providers tell that a job has ended. Nothing is believed but that it is time to ask."""

from typing import Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from domain.callbacks import PATH
from worker.callbacks.reader import Message
from worker.callbacks.receiver import CallbackReceiver, Received

#: Services send the job as they would tell of it when asked, with its log.
MAX_BYTES: Final = 1024 * 1024
_NO_CONTENT: Final = 204
_ANSWERS: Final = {
    Received.TAKEN: (_NO_CONTENT, ""),
    Received.UNKNOWN: (404, "Not Found"),
    Received.FORGED: (401, "The signature is missing, wrong or too old."),
    Received.TOO_MANY: (429, "Too many messages about this job."),
}


def callback_routes(receiver: CallbackReceiver | None) -> list[Route]:
    """Return the route; none for a server that takes no callbacks."""
    if receiver is None:
        return []

    async def take(request: Request) -> Response:
        provider, job_id = request.path_params["provider"], request.path_params["job_id"]
        refused = receiver.admits(provider, job_id, request.query_params.get("token", ""))
        if refused is not None:
            return _answer(refused)
        try:
            body = await _body(request)
        except ClientDisconnect:
            return Response(status_code=400)
        if body is None:
            return PlainTextResponse("The message is too large.", 413)
        headers = {name.lower(): value for name, value in request.headers.items()}
        return _answer(await receiver.receive(provider, job_id, Message(headers, body)))

    return [Route(f"{PATH}{{provider}}/{{job_id}}", take, methods=["POST"], name="callback")]


async def _body(request: Request) -> bytes | None:
    """Return the body, None for one that is too large, of which no more is read."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BYTES:
            return None
        parts.append(part)
    return b"".join(parts)


def _answer(received: Received) -> Response:
    status, text = _ANSWERS[received]
    headers = {"Retry-After": "60"} if received is Received.TOO_MANY else {}
    return PlainTextResponse(text, status, headers) if text else Response(status_code=status)
