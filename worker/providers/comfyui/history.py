"""Reading ComfyUI's history and queue. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worker.providers.errors import INVALID_REQUEST, UNAVAILABLE, FailureKind


@dataclass(frozen=True, slots=True)
class Image:
    """A picture that a node has saved."""

    filename: str
    subfolder: str
    type: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The job went to its end."""


@dataclass(frozen=True, slots=True)
class Broken:
    """The job ended without a result."""

    kind: FailureKind
    said: str


def outcome_of(entry: Mapping[str, object]) -> Finished | Broken:
    """Return how a job of the history ended; an interrupted one counts as an error there, too."""
    status = entry.get("status")
    if not isinstance(status, Mapping) or status.get("status_str") == "success":
        return Finished()
    messages = status.get("messages")
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, list) and len(message) == 2 and isinstance(message[1], Mapping):  # noqa: PLR2004 (a pair)
            name, data = message
            if name == "execution_interrupted":
                return Broken(UNAVAILABLE, "The job was interrupted at the server.")
            if name == "execution_error":
                return _error(data)
    return Broken(INVALID_REQUEST, "The job failed and the server does not say why.")


def _error(data: Mapping[str, object]) -> Broken:
    kind = str(data.get("exception_type") or "")
    said = f"{data.get('node_type')}: {str(data.get('exception_message') or '').strip()}"
    # Memory may be free the next time; anything else is wrong with the workflow and stays so.
    return Broken(UNAVAILABLE if kind.endswith("OutOfMemoryError") else INVALID_REQUEST, said)


def images_of(entry: Mapping[str, object], node: str) -> list[Image]:
    """Return what a job has saved: of one node, or of any; previews only where nothing was saved for good."""
    outputs = entry.get("outputs")
    if not isinstance(outputs, Mapping):
        return []
    found = []
    for name, output in outputs.items():
        images = output.get("images") if isinstance(output, Mapping) and node in ("", name) else None
        found += [_image(image) for image in images if isinstance(image, Mapping)] if isinstance(images, list) else []
    return [image for image in found if image.type == "output"] or found


def _image(image: Mapping[str, object]) -> Image:
    return Image(str(image.get("filename")), str(image.get("subfolder") or ""), str(image.get("type") or "output"))


@dataclass(frozen=True, slots=True)
class Queued:
    """A job that waits or is at work: what it runs, and which client is told of it; empty where that is not known."""

    graph: Mapping[str, Any]
    client_id: str


def queued(queue: Mapping[str, object], prompt_id: str) -> Queued | None:
    """Return a job of the queue: entries are [number, id, graph, extra data, outputs]."""
    for name in ("queue_running", "queue_pending"):
        entries = queue.get(name)
        for entry in entries if isinstance(entries, list) else []:
            if isinstance(entry, list) and prompt_id in entry[1:2]:
                _, _, graph, extra, *_ = [*entry, None, None, None]
                client_id = extra.get("client_id") if isinstance(extra, Mapping) else None
                return Queued(graph if isinstance(graph, Mapping) else {}, str(client_id or ""))
    return None
