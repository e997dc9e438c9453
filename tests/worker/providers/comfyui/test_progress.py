"""How far ComfyUI is, from its socket: messages as they were recorded, and everything that may go wrong with it."""

import asyncio
import contextlib
import json
import ssl
import struct
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from tests.helpers.comfyui_contract import WORKFLOW
from worker.providers.comfyui.frames import MAX_PREVIEW_BYTES, read_preview
from worker.providers.comfyui.progress import GraphProgress
from worker.providers.comfyui.socket import ProgressSocket

PROMPT = "23b6833c-0000-5000-8000-000000000000"


def said(kind: str, prompt_id: str = PROMPT, **data: Any) -> str:
    return json.dumps({"type": kind, "data": {"prompt_id": prompt_id, **data}})


class TestGraph:
    def test_steps_of_the_sampler_are_most_of_the_work(self) -> None:
        progress = GraphProgress(WORKFLOW)
        assert progress.share == 0
        progress.hear("execution_cached", {"nodes": ["5", "6"]})
        progress.hear("executing", {"node": "7"})
        early = progress.share
        progress.hear("executing", {"node": "3"})
        for step in (5, 10, 20):
            progress.hear("progress", {"node": "3", "value": step, "max": 20})
            shown = progress.share
        assert 0 < early < 0.15 < shown < 1

    def test_the_newer_message_with_everything_says_the_same(self) -> None:
        progress = GraphProgress(WORKFLOW)
        sampler = {"value": 10, "max": 20, "state": "running"}
        nodes = {"6": {"value": 1.0, "max": 1.0, "state": "finished"}, "3": sampler}
        progress.hear("progress_state", {"nodes": nodes})
        assert 0.4 < progress.share < 0.6

    def test_the_end_is_for_the_history_to_tell(self) -> None:
        progress = GraphProgress(WORKFLOW)
        for node in WORKFLOW:
            progress.hear("executed", {"node": node})
        assert progress.share == 0.99

    @given(
        st.lists(
            st.tuples(
                st.sampled_from(["execution_cached", "executing", "executed", "progress", "progress_state", "status"]),
                st.dictionaries(
                    st.sampled_from(["node", "nodes", "value", "max", "state"]),
                    st.recursive(
                        st.none() | st.booleans() | st.floats() | st.integers() | st.sampled_from(["3", "finished"]),
                        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("36"), inner),
                        max_leaves=5,
                    ),
                ),
            ),
            max_size=20,
        )
    )
    def test_whatever_comes_it_never_falls_nor_ends(self, messages: list[tuple[str, dict[str, Any]]]) -> None:
        progress, before = GraphProgress(WORKFLOW), 0.0
        for kind, data in messages:
            progress.hear(kind, data)
            assert before <= progress.share <= 0.99
            before = progress.share

    def test_a_graph_without_nodes_is_no_fault(self) -> None:
        progress = GraphProgress({})
        progress.hear("executing", {"node": "1"})
        assert progress.share == 0


@dataclass
class Server:
    """A socket like ComfyUI's, on which a test speaks."""

    url: str = ""
    paths: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    connections: asyncio.Queue[ServerConnection] = field(default_factory=asyncio.Queue)

    async def handle(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        self.paths.append(connection.request.path)
        self.keys.append(connection.request.headers.get("authorization"))
        self.connections.put_nowait(connection)
        await connection.wait_closed()


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    found = Server()
    async with serve(found.handle, "127.0.0.1", 0) as listening:
        found.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/comfy"
        yield found


@contextlib.asynccontextmanager
async def followed(url: str, **headers: str) -> AsyncIterator[ProgressSocket]:
    socket = ProgressSocket(url, ssl.create_default_context(), headers, retry_seconds=0.01)
    try:
        yield socket
    finally:
        await socket.aclose()


async def until(socket: ProgressSocket, least: float, prompt_id: str = PROMPT) -> None:
    async with asyncio.timeout(10):
        while (socket.share(prompt_id) or 0) < least:
            await asyncio.sleep(0.005)


async def test_progress_comes_for_the_prompt_that_it_is_about(server: Server) -> None:
    async with followed(server.url, authorization="Bearer k") as socket:
        await socket.follow(PROMPT, WORKFLOW)
        await socket.follow("other", WORKFLOW)
        connection = await server.connections.get()
        await connection.send(said("status", "", status={}))
        await connection.send("no json")
        await connection.send("[1]")
        await connection.send(b"\x00\x00\x00\x01\x00\x00\x00\x02\x89PNG a preview")
        await connection.send(said("progress", "somebody else's", node="3", value=20, max=20))
        await connection.send(said("progress", node="3", value=10, max=20))
        await until(socket, 0.3)
        assert socket.share("other") == 0
        assert socket.share("unknown") is None
    assert server.paths == [f"/comfy/ws?clientId={socket.client_id}"]
    assert server.keys == ["Bearer k"]


def picture(data: bytes, **described: Any) -> bytes:
    """A message with a picture, described for who has asked for that."""
    if not described:
        return struct.pack(">II", 1, 2) + data
    head = json.dumps(described).encode()
    return struct.pack(">II", 4, len(head)) + head + data


async def seen(socket: ProgressSocket, data: bytes, prompt_id: str = PROMPT) -> None:
    async with asyncio.timeout(10):
        while socket.preview(prompt_id) != data:
            await asyncio.sleep(0.005)


async def test_pictures_come_for_the_prompt_that_they_are_of(server: Server) -> None:
    async with followed(server.url) as socket:
        await socket.follow(PROMPT, WORKFLOW)
        await socket.follow("other", WORKFLOW)
        connection = await server.connections.get()
        assert json.loads(await connection.recv()) == {
            "type": "feature_flags",
            "data": {"supports_preview_metadata": True},
        }
        await connection.send(picture(b"of nobody yet"))
        await connection.send(said("executing", node="3"))
        await connection.send(picture(b"first"))
        await seen(socket, b"first")
        await connection.send(said("executing", "somebody else's", node="3"))
        await connection.send(picture(b"somebody else's"))
        await connection.send(picture(b"second", prompt_id=PROMPT, image_type="image/jpeg"))
        await seen(socket, b"second")
        await connection.send(picture(b"third", prompt_id="somebody else's"))
        await connection.send(picture(b"of the other", prompt_id="other"))
        await seen(socket, b"of the other", "other")
        assert socket.preview(PROMPT) == b"second"
        socket.forget(PROMPT)
        assert socket.preview(PROMPT) is None


@given(st.binary(max_size=60), st.sampled_from([b"", struct.pack(">I", 1), struct.pack(">I", 4)]))
def test_whatever_bytes_come_a_picture_is_read_or_none(rest: bytes, head: bytes) -> None:
    preview = read_preview(head + rest)
    assert preview is None or (head + rest).endswith(preview.data)


def test_what_is_too_large_is_no_preview() -> None:
    assert read_preview(picture(bytes(MAX_PREVIEW_BYTES))) is None
    assert read_preview(picture(b"", prompt_id=PROMPT)) is None
    assert read_preview(struct.pack(">II", 4, 5) + b"[[[[[x") is None
    assert read_preview(struct.pack(">II", 3, 1) + b"3text") is None


async def test_a_broken_socket_is_opened_again(server: Server) -> None:
    async with followed(server.url) as socket:
        await socket.follow(PROMPT, WORKFLOW)
        for share in (0.3, 0.6):
            connection = await server.connections.get()
            await connection.send(said("progress", node="3", value=20 * share * 1.3, max=20))
            await until(socket, share)
            await connection.close()


async def test_the_socket_is_closed_when_nothing_is_followed_and_opened_when_something_is(server: Server) -> None:
    async with followed(server.url) as socket:
        for _ in range(2):
            await socket.follow(PROMPT, WORKFLOW)
            connection = await server.connections.get()
            socket.forget(PROMPT)
            await connection.send(said("status"))
            async with asyncio.timeout(10):
                await connection.wait_closed()


async def test_what_a_process_before_has_queued_is_followed_under_its_id(server: Server) -> None:
    earlier = f"wonder-{7:032x}"
    async with followed(server.url) as socket:
        await socket.take_over("../somebody else's", PROMPT, WORKFLOW)
        assert socket.share(PROMPT) is None
        await socket.take_over(earlier, PROMPT, WORKFLOW)
        connection = await server.connections.get()
        assert server.paths == [f"/comfy/ws?clientId={earlier}"]
        await connection.send(said("progress", node="3", value=10, max=20))
        await connection.send(picture(b"so far"))
        await seen(socket, b"so far")
        assert (socket.share(PROMPT) or 0) > 0.3
        for number in range(20):
            await socket.take_over(f"wonder-{number:032x}", f"prompt {number}", WORKFLOW)
        assert socket.share("prompt 3") == 0
        assert socket.share("prompt 19") is None
        socket.forget(PROMPT)
        assert socket.share(PROMPT) is None


async def test_a_server_without_a_socket_costs_no_wait_and_no_failure(unused_tcp_port: int) -> None:
    async with followed(f"http://127.0.0.1:{unused_tcp_port}") as socket, asyncio.timeout(2):
        await socket.follow(PROMPT, WORKFLOW)
        await socket.follow("other", WORKFLOW)
        assert socket.share(PROMPT) == 0


async def test_a_server_that_says_farewell_at_once_is_not_asked_without_a_pause() -> None:
    connections = []

    async def farewell(connection: ServerConnection) -> None:
        connections.append(connection)

    async with serve(farewell, "127.0.0.1", 0) as listening:
        url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        socket = ProgressSocket(url, ssl.create_default_context(), {}, retry_seconds=60)
        await socket.follow(PROMPT, WORKFLOW)
        while not connections:
            await asyncio.sleep(0)
        await connections[0].wait_closed()
        for _ in range(100):
            await asyncio.sleep(0)
        await socket.aclose()
    assert len(connections) == 1


async def test_a_redirect_leads_the_key_nowhere(server: Server) -> None:
    def elsewhere(connection: ServerConnection, _: Request) -> Response:
        response = connection.respond(307, "")
        response.headers["location"] = server.url.replace("http", "ws") + "/ws"
        return response

    async with serve(server.handle, "127.0.0.1", 0, process_request=elsewhere) as listening:
        url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        async with followed(url, authorization="Bearer k") as socket:
            await socket.follow(PROMPT, WORKFLOW)
            assert socket.share(PROMPT) == 0
    assert server.keys == []


async def test_nonsense_on_the_socket_does_not_end_the_listening(server: Server) -> None:
    async with followed(server.url) as socket:
        await socket.follow(PROMPT, WORKFLOW)
        connection = await server.connections.get()
        await connection.send("[" * 200_000)
        await connection.send(f'{{"type": "progress", "data": {{"prompt_id": "{PROMPT}", "value": 1{"0" * 400}}}}}')
        await connection.send(said("progress", node="3", value=10, max=20))
        await until(socket, 0.3)
    assert server.connections.empty()


async def test_what_is_followed_is_bounded() -> None:
    socket = ProgressSocket("http://127.0.0.1:9", ssl.create_default_context(), {}, retry_seconds=0.01)
    for number in range(1001):
        await socket.follow(str(number), {})
    assert socket.share("0") is None
    assert socket.share("1") == 0
    await socket.aclose()
