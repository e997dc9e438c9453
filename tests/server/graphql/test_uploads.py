"""Files in requests, by the multipart request specification, and everything that is not."""

import gc
import io
import json
from typing import Any

import httpx
import pytest
from PIL import Image

from domain.uploads import MAX_UPLOAD_BYTES
from tests.helpers.endpoint import Endpoint

UPLOAD = """mutation($project: ID!, $file: Upload!) {
  uploadImage(projectId: $project, file: $file) { image { width height mediaType } errors { code message } } }"""
FILE = {"0": ["variables.file"]}


def picture() -> bytes:
    target = io.BytesIO()
    Image.new("RGBA", (20, 10), "#38b764").save(target, "PNG")
    return target.getvalue()


@pytest.fixture
async def sender(endpoint: Endpoint) -> "Sender":
    token = await endpoint.sign_up()
    query = 'mutation { createProject(input: {name: "P"}) { project { id } } }'
    answer = await endpoint.post({"query": query}, token)
    return Sender(endpoint, token, answer.json()["data"]["createProject"]["project"]["id"])


class Sender:
    def __init__(self, endpoint: Endpoint, token: str, project: str) -> None:
        self.endpoint = endpoint
        self.headers = {"authorization": f"Bearer {token}"}
        self.operations = {"query": UPLOAD, "variables": {"project": project, "file": None}}

    async def send(self, parts: list[tuple[str, Any]], **headers: str) -> httpx.Response:
        """Send parts in their order: text, or a file's name and content."""
        files = [(name, (None, value) if isinstance(value, str) else value) for name, value in parts]
        sent = {name.replace("_", "-"): value for name, value in headers.items()} or self.headers
        return await self.endpoint.client.post("/graphql", files=files, headers=sent)

    async def upload(
        self, data: bytes, name: str = "a.png", operations: Any = None, places: Any = None
    ) -> httpx.Response:
        """Send one file; what is given in place of operations or map goes as JSON."""
        told = self.operations if operations is None else operations
        mapped = FILE if places is None else places
        return await self.send([("operations", json.dumps(told)), ("map", json.dumps(mapped)), ("0", (name, data))])


async def test_a_picture_is_uploaded(sender: Sender) -> None:
    for name in ("a.png", "../../etc/passwd\x00.png", "图片 🎨.png"):
        answer = (await sender.upload(picture(), name)).json()["data"]["uploadImage"]
        assert answer == {"image": {"width": 20, "height": 10, "mediaType": "image/png"}, "errors": []}


async def test_one_file_stands_in_several_places(sender: Sender) -> None:
    """As the specification has it: each place reads the whole file, whatever its size and wherever the place lies."""
    field = "uploadImage(projectId: $project, file: %s) { image { width } errors { code } }"
    changes = " ".join(
        f"{name}: {field % variable}" for name, variable in zip("abc", ("$file", "$other", "$file"), strict=True)
    )
    query = f"mutation($project: ID!, $file: Upload!, $other: Upload!) {{ {changes} }}"
    operations = {"query": query, "variables": {**sender.operations["variables"], "other": None}}  # type: ignore[dict-item]
    for data in (picture(), picture() + b"x" * (2 << 20)):  # in memory, and on the disk
        answer = await sender.upload(data, "a.png", operations, {"0": ["variables.file", "variables.other"]})
        assert answer.json()["data"] == {name: {"image": {"width": 20}, "errors": []} for name in "abc"}, answer.text


async def test_a_file_where_words_belong_is_called_a_file(sender: Sender) -> None:
    operations = {"query": "query($id: ID!) { task(id: $id) { id } }", "variables": {"id": None}}
    answer = await sender.upload(picture(), operations=operations, places={"0": ["variables.id"]})
    [error] = answer.json()["errors"]
    assert error["extensions"]["code"] == "BAD_REQUEST"
    assert "a file" in error["message"]
    assert "instance" not in error["message"]


async def test_what_is_no_picture_is_an_answer(sender: Sender) -> None:
    for data, code in (
        (b"<svg/>", "UNSUPPORTED_MEDIA"),
        (b"", "UNSUPPORTED_MEDIA"),
        (b"x" * (MAX_UPLOAD_BYTES + 1), "TOO_LARGE"),
    ):
        answer = (await sender.upload(data)).json()["data"]["uploadImage"]
        assert answer["image"] is None
        assert [error["code"] for error in answer["errors"]] == [code]


async def test_far_too_much_is_a_413(sender: Sender) -> None:
    assert (await sender.upload(b"x" * (MAX_UPLOAD_BYTES + 300_000))).status_code == 413


async def test_a_multipart_request_that_breaks_the_specification_is_a_400(sender: Sender) -> None:
    not_one_request = [[sender.operations], 1, "x", {}, {"query": UPLOAD}, {"query": UPLOAD, "variables": []}]
    no_map = [[1], 1, {}, {"0": []}, {"0": "variables.file"}, {"0": [1]}, {"1": ["variables.file"]}]
    no_place = [
        "", "variables", "query", "variables.project", "variables.other", "variables.file.x", "variables.0",
        "operationName", "variables.file.0",
    ]  # fmt: skip
    listed = {"query": UPLOAD, "variables": {"file": [None]}}
    wrong: list[dict[str, Any]] = [
        *({"operations": value} for value in not_one_request),
        *({"places": value} for value in no_map),
        *({"places": {"0": [path]}} for path in no_place),
        {"places": {"0": ["variables.file"] * 100}},
        {"operations": listed, "places": {"0": ["variables.file.1"]}},
        {"operations": listed, "places": {"0": ["variables.file.-1"]}},
    ]
    for case in wrong:
        response = await sender.upload(b"x", **case)
        assert (response.status_code, response.json()["errors"][0]["extensions"]["code"]) == (400, "BAD_REQUEST"), case


async def test_parts_that_are_missing_doubled_or_out_of_order_are_a_400(sender: Sender) -> None:
    operations, places = ("operations", json.dumps(sender.operations)), ("map", json.dumps(FILE))
    file = ("0", ("a.png", b"x"))
    for parts in (
        [operations],
        [operations, places],
        [places, operations, file],
        [file, operations, places],
        [operations, places, file, file],
        [operations, operations, places, file],
        [operations, places, file, ("1", ("b.png", b"x"))],
        [operations, places, ("0", "text in place of a file")],
        [("operations", "{"), places, file],
        [("operations", ("o.json", json.dumps(sender.operations).encode())), places, file],
        [operations, places, *((str(number), ("b.png", b"x")) for number in range(20))],
    ):
        assert (await sender.send(list(parts))).status_code == 400, parts


async def test_bodies_that_are_no_multipart_are_a_400(sender: Sender) -> None:
    for content_type in ("multipart/form-data", "multipart/form-data; boundary=x", 'multipart/form-data; boundary=""'):
        for body in (
            b"",
            b"--x",
            b"--x\r\n\r\n--x--",
            b"\xff" * 100,
            b'--x\r\ncontent-disposition: form-data; name="\xff"\r\n\r\n',
        ):
            headers = {**sender.headers, "content-type": content_type}
            response = await sender.endpoint.client.post("/graphql", content=body, headers=headers)
            assert response.status_code == 400, (content_type, body)


async def test_a_page_of_another_site_cannot_send_a_form(sender: Sender) -> None:
    parts: list[tuple[str, Any]] = [("operations", json.dumps({"query": "{ __typename }", "variables": {"a": None}}))]
    parts += [("map", json.dumps({"0": ["variables.a"]})), ("0", ("a", b"x"))]
    assert (await sender.send(parts, x_other="1")).status_code == 403
    assert (await sender.send(parts, **sender.headers)).json() == {"data": {"__typename": "Query"}}


async def test_files_are_taken_of_nobody_who_is_not_logged_in(sender: Sender) -> None:
    parts: list[tuple[str, Any]] = [("operations", json.dumps(sender.operations)), ("map", json.dumps(FILE))]
    parts.append(("0", ("a.png", picture())))
    for headers in (
        {"graphql-require-preflight": "1"},
        {"apollo-require-preflight": "1"},
        {"authorization": "Bearer x"},
        {"authorization": "Basic eDp5"},
    ):
        response = await sender.send(parts, **headers)
        assert response.status_code == 401
        assert response.headers["www-authenticate"] == "Bearer"
        assert response.json()["errors"][0]["extensions"]["code"] == "UNAUTHENTICATED"


async def test_text_in_place_of_a_file_is_a_fault_of_the_request(sender: Sender) -> None:
    body = {**sender.operations, "variables": {**sender.operations["variables"], "file": "x"}}  # type: ignore[dict-item]
    response = await sender.endpoint.post(body, accept="application/graphql-response+json", **sender.headers)
    assert (response.status_code, response.json()["errors"][0]["extensions"]["code"]) == (400, "BAD_REQUEST")


async def test_a_charset_that_cannot_be_read_is_a_400(sender: Sender) -> None:
    for charset in ("undefined", "punycode", "utf-16", "cp037"):
        headers = {**sender.headers, "content-type": f"multipart/form-data; boundary=x; charset={charset}"}
        body = b'--x\r\ncontent-disposition: form-data; name="operations"\r\n\r\n\xff\r\n--x--\r\n'
        response = await sender.endpoint.client.post("/graphql", content=body, headers=headers)
        assert response.status_code == 400, charset


async def test_a_file_that_breaks_off_leaves_nothing_open(sender: Sender) -> None:
    whole = b'--x\r\ncontent-disposition: form-data; name="operations"\r\n\r\n{}\r\n--x\r\n'
    whole += b'content-disposition: form-data; name="0"; filename="a.png"\r\n\r\n' + b"x" * 2_000_000
    headers = {**sender.headers, "content-type": "multipart/form-data; boundary=x"}
    for body in (whole, whole[:150], whole + b"\r\n--x", whole + b"\r\n--x\r\nnonsense"):
        response = await sender.endpoint.client.post("/graphql", content=body, headers=headers)
        assert response.status_code == 400
    gc.collect()  # a file that nobody closed would warn now, and warnings are errors
