"""`wonder demo`: the whole way once, through the public API, as a client would go it."""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import httpx
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from domain.settings import Settings

_PREFERRED_PORT: Final = 8000
_BAR: Final = 30
_START_SECONDS: Final = 60
_PALETTE: Final = ("#1a1c2c", "#5d275d", "#b13e53", "#ef7d57", "#ffcd75", "#a7f070", "#38b764", "#257179", "#29366f",
                   "#3b5dc9", "#41a6f6", "#73eff7", "#f4f4f4", "#94b0c2", "#566c86", "#333c57")  # fmt: skip

_SIGNUP: Final = """mutation($email: String!, $password: String!) {
  signup(input: {email: $email, password: $password, displayName: "Demo"}) { accessToken errors { code message } } }"""
_LOGIN: Final = """mutation($email: String!, $password: String!) {
  login(input: {email: $email, password: $password}) { accessToken errors { code message } } }"""
_CREATE_PROJECT: Final = """mutation($style: ProjectStyleInput!) {
  createProject(input: {name: "Demo game", description: "Made by wonder demo", style: $style}) {
    project { id } errors { code message } } }"""
_GENERATE: Final = """mutation($input: GenerateInput!) {
  generate(input: $input) { task { id } errors { code message } } }"""
_PROGRESS: Final = """subscription($id: ID!, $after: Int) {
  taskProgress(taskId: $id, after: $after) { sequence status stage progress message } }"""
_ASSETS: Final = """query($id: ID!) {
  task(id: $id) { status degraded error { code message } assets { name role url sizeBytes width height } } }"""


class DemoFailed(Exception):
    """The demo could not go on; the message says where and why."""


def demo(folder: Path, port: int | None, *, stay: bool, settings: Settings) -> int:
    """Start a server on SQLite in a folder, make two assets and keep them there; returns the exit code.

    With `stay` the server runs on until Ctrl-C; otherwise it is stopped.
    """
    folder.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the server is stopped then, too
    server = _start_server(folder, _free_port(settings.host) if port is None else port)
    try:
        address = _address_of(server, folder / "server.log")
        _say(f"Wonder is running at {address}")
        account = _account(address, folder)
        client = httpx.Client(base_url=address, headers={"Authorization": f"Bearer {account['token']}"}, timeout=60)
        with client:
            _make_assets(client, address, account, folder)
        _say(f"\nDashboard  {address}/\nGraphiQL   {address}/graphql")
        _say(f"Log in as  {account['email']}  with the password  {account['password']}")
        if stay:
            _say("\nThe server runs on until you press Ctrl-C.")
            server.wait()
        else:
            _say(f"\nThis is no terminal, so the server stops now. Start it again with:\n  {_restart_command(folder)}")
    except KeyboardInterrupt:
        _say("\nStopping.")
    except (DemoFailed, httpx.HTTPError) as error:
        _say(f"The demo failed: {error}. The server's log is {folder / 'server.log'}.")
        return 1
    finally:
        _stop(server)
    return 0


def _start_server(folder: Path, port: int) -> subprocess.Popen[str]:
    folder = folder.absolute()
    program = Path(sys.executable).with_name("wonder")
    command = [str(program), "serve", "--host", "127.0.0.1", "--port", str(port), "--data-dir", str(folder / "data")]
    # On its own, whatever the environment or a .env file says about other installations.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WONDER_")}
    environment["WONDER_WORKERS"] = "2"
    with (folder / "server.log").open("a") as log:
        return subprocess.Popen(  # noqa: S603 (our own program)
            command,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=environment,
            cwd=folder,
            # Ctrl-C is for the demo, which then stops the server in its own way.
            start_new_session=True,
        )


def _restart_command(folder: Path) -> str:
    return f"{Path(sys.executable).with_name('wonder')} serve --data-dir {folder / 'data'}"


def _address_of(server: subprocess.Popen[str], log: Path) -> str:
    line = server.stdout.readline().strip() if server.stdout is not None else ""
    if not line.startswith("http://"):
        reason = log.read_text("utf-8").strip().rpartition("\n")[2].removeprefix("wonder: ")
        raise DemoFailed(f"the server did not start: {reason}")
    return line


def _stop(server: subprocess.Popen[str]) -> None:
    if server.poll() is None:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(_START_SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
    if server.stdout is not None:
        server.stdout.close()


def _free_port(host: str) -> int:
    """Return the usual port when it is free, else 0: any."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host if ":" not in host else "127.0.0.1", _PREFERRED_PORT))
        except (OSError, WebSocketException):
            return 0
    return _PREFERRED_PORT


def _account(address: str, folder: Path) -> dict[str, str]:
    """Log in with the account of an earlier run, or sign up; the folder keeps the credentials, for its owner only."""
    path = folder / "account.json"
    if path.is_file():
        known: dict[str, str] = json.loads(path.read_text("utf-8"))
        payload = _ask(address, _LOGIN, email=known["email"], password=known["password"])["login"]
        if payload["accessToken"]:
            return {**known, "token": payload["accessToken"]}
    fresh = {"email": f"demo-{secrets.token_hex(3)}@example.com", "password": secrets.token_urlsafe(12)}
    token = _good(_ask(address, _SIGNUP, **fresh)["signup"])["accessToken"]
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(fresh, file)
    return {**fresh, "token": token}


def _make_assets(client: httpx.Client, address: str, account: Mapping[str, str], folder: Path) -> None:
    style = {
        "artStyle": "16-bit pixel art",
        "palette": list(_PALETTE),
        "perspective": "side view",
        "mood": "adventurous",
    }
    project = _good(_ask(client, _CREATE_PROJECT, style=style)["createProject"])["project"]["id"]
    wishes = [
        {"prompt": "a brave knight with a red plume and a silver sword", "assetType": "SPRITE",
         "params": {"width": 64, "height": 64}},
        {"prompt": "一只绿色的史莱姆", "assetType": "SPRITESHEET", "params": {"atlasFormats": ["JSON_HASH", "GODOT"]}},
    ]  # fmt: skip
    for number, wish in enumerate(wishes):
        _say(f"\n{wish['assetType']}: {wish['prompt']}")
        # A seed of its own each time, so that a second run shows another picture.
        task_id = _good(_ask(client, _GENERATE, input={"projectId": project, **wish})["generate"])["task"]["id"]
        _follow(address, account["token"], task_id)
        task = _ask(client, _ASSETS, id=task_id)["task"]
        if task["status"] != "COMPLETED":
            raise DemoFailed(f"task {number + 1} ended as {task['status']}: {task['error']}")
        target = folder / "assets" / task_id
        target.mkdir(parents=True, exist_ok=True)
        for asset in task["assets"]:
            path = target / asset["name"]
            path.write_bytes(client.get(asset["url"]).raise_for_status().content)
            size = f"{asset['width']} x {asset['height']}, " if asset["width"] else ""
            _say(f"  {asset['role']:<12} {path}  ({size}{asset['sizeBytes']} bytes)")
        _say(f"  URL          {task['assets'][0]['url']}")


def _follow(address: str, token: str, task_id: str) -> None:
    """Show a task's progress as it happens; after a lost connection it goes on where it was."""
    last: int | None = None
    for _ in range(5):
        try:
            with connect(
                address.replace("http://", "ws://") + "/graphql", subprotocols=[Subprotocol("graphql-transport-ws")]
            ) as ws:
                ws.send(json.dumps({"type": "connection_init", "payload": {"Authorization": f"Bearer {token}"}}))
                for text in ws:
                    message = json.loads(text)
                    if message["type"] == "connection_ack":
                        payload = {"query": _PROGRESS, "variables": {"id": task_id, "after": last}}
                        ws.send(json.dumps({"type": "subscribe", "id": "1", "payload": payload}))
                    elif message["type"] == "ping":
                        ws.send(json.dumps({"type": "pong"}))
                    elif message["type"] == "next":
                        event = message["payload"]["data"]["taskProgress"]
                        last = event["sequence"]
                        _show(event)
                    elif message["type"] == "error":
                        raise DemoFailed(str(message["payload"]))
                    elif message["type"] == "complete":
                        return
        except OSError:
            time.sleep(0.5)
    raise DemoFailed("the connection was lost too often")


def _show(event: Mapping[str, Any]) -> None:
    filled = round(event["progress"] / 100 * _BAR)
    line = f"  [{'#' * filled}{'.' * (_BAR - filled)}] {event['progress']:3.0f} %  {event['message']}"
    if not sys.stdout.isatty():
        _say(line)
        return
    line = line[: shutil.get_terminal_size().columns - 1]  # a line that wraps cannot be taken back
    ended = event["status"] in ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT")
    sys.stdout.write(f"\r\x1b[2K{line}" + ("\n" if ended else ""))
    sys.stdout.flush()


def _ask(target: httpx.Client | str, query: str, **variables: object) -> dict[str, Any]:
    body = {"query": query, "variables": variables}
    if isinstance(target, str):
        response = httpx.post(f"{target}/graphql", json=body, timeout=60)
    else:
        response = target.post("/graphql", json=body)
    answer: dict[str, Any] = response.json()
    if answer.get("errors"):
        raise DemoFailed("; ".join(error["message"] for error in answer["errors"]))
    data: dict[str, Any] = answer["data"]
    return data


def _good(payload: dict[str, Any]) -> dict[str, Any]:
    if payload["errors"]:
        raise DemoFailed("; ".join(error["message"] for error in payload["errors"]))
    return payload


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 (the demo is what it prints)
