"""Files in a request, as the GraphQL multipart request specification (jaydenseric, version 2) puts them."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any, Final

from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from server.graphql.bodies import BODY_SECONDS
from server.graphql.requests import GraphQLRequest, Refused, json_of, request_of

#: Files of one request.
MAX_FILES: Final = 10
_OWN_FIELDS: Final = ("operations", "map")
_MAX_PATHS: Final = 50
_INDEX: Final = re.compile(r"0|[1-9]\d{0,3}")


@asynccontextmanager
async def multipart_request(request: Request) -> AsyncIterator[GraphQLRequest]:
    """Read a multipart body and yield its request; the files, on disk when large, live as long as the context."""
    async with aclosing(request.stream()) as stream:
        parser = _Parser(request.headers, stream, max_files=MAX_FILES, max_fields=len(_OWN_FIELDS))
        try:
            yield _assembled(await _parsed(parser))
        finally:
            parser.close()


class _Parser(MultiPartParser):
    """A parser that also closes the file of a part that never ended, which is in no form."""

    def close(self) -> None:
        """Close all files that were opened."""
        for file in self._files_to_close_on_error:
            file.close()


async def _parsed(parser: _Parser) -> FormData:
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await parser.parse()
    except (MultiPartException, ValueError):  # ValueError: a charset that cannot decode
        raise Refused(400, f"The multipart body cannot be read, or has more than {MAX_FILES} files.") from None
    except TimeoutError:
        raise Refused(408, "The body did not arrive in time.", connection="close") from None


def _assembled(form: FormData) -> GraphQLRequest:
    names = [name for name, _ in form.multi_items()]
    if tuple(names[:2]) != _OWN_FIELDS or len(set(names)) != len(names):
        raise Refused(400, "A multipart body consists of `operations`, `map` and the files, in this order.")
    operations, places = (_json_field(form, name) for name in _OWN_FIELDS)
    if not isinstance(operations, dict) or not isinstance(operations.get("variables"), dict):
        raise Refused(400, "`operations` must be one request with `variables`; batches are not served.")
    if not isinstance(places, dict) or set(places) != set(names[2:]):
        raise Refused(400, "`map` must name every file of the request, and no other.")
    paths = [(path, form[name]) for name, listed in places.items() for path in _paths(listed)]
    if len(paths) > _MAX_PATHS:
        raise Refused(400, f"`map` names more than {_MAX_PATHS} places.")
    for path, file in paths:
        if not isinstance(file, UploadFile):
            raise Refused(400, "A part that `map` names is no file.")
        _put(operations, path, file)
    return request_of(operations)


def _json_field(form: FormData, name: str) -> object:
    value = form[name]
    if not isinstance(value, str):
        raise Refused(400, f"`{name}` must be a text field.")
    return json_of(value, f"`{name}`")


def _paths(listed: object) -> list[str]:
    if not isinstance(listed, list) or not listed or not all(isinstance(path, str) for path in listed):
        raise Refused(400, "`map` must give each file a list of places such as `variables.file`.")
    return listed


def _put(operations: dict[str, Any], path: str, file: UploadFile) -> None:
    """Put a file where `map` says, in place of a null inside the variables."""
    steps = path.split(".")
    target: object = operations
    for step in steps[:-1]:
        target = _step(target, step)
    if len(steps) < 2 or steps[0] != "variables" or _step(target, steps[-1]) is not None:  # noqa: PLR2004 (variables, name)
        raise Refused(400, "`map` must name places inside `variables` that are null.")
    if isinstance(target, list):
        target[int(steps[-1])] = file
    elif isinstance(target, dict):
        target[steps[-1]] = file


def _step(target: object, step: str) -> object:
    if isinstance(target, dict) and step in target:
        return target[step]
    if isinstance(target, list) and _INDEX.fullmatch(step) and int(step) < len(target):
        return target[int(step)]
    raise Refused(400, "`map` names a place that `operations` does not have.")
