"""Keys: the names under which objects are stored, built from ids only, the same on every storage.

A key is a path of parts joined by `/`. It stays below its prefix on any file system and any object store, whatever the
language of its parts: no part is empty, `.` or `..`, none holds a slash, a backslash or a control character, and none
is longer than the 255 bytes that file systems take.
"""

import unicodedata
from typing import Final

MAX_PART_BYTES: Final = 255
#: What S3 takes.
MAX_KEY_BYTES: Final = 1024
#: Control characters and lone surrogates.
_REFUSED_CATEGORIES: Final = frozenset({"Cc", "Cs"})


def user_prefix(user_id: str) -> str:
    """Return the prefix of everything of a user: `users/{userId}/`."""
    return _joined("users", user_id) + "/"


def project_prefix(user_id: str, project_id: str) -> str:
    """Return the prefix of everything of a project: `users/{userId}/projects/{projectId}/`."""
    return _joined("users", user_id, "projects", project_id) + "/"


def tasks_prefix(user_id: str, project_id: str) -> str:
    """Return the prefix of everything of all tasks of a project: `users/{userId}/projects/{projectId}/tasks/`."""
    return project_prefix(user_id, project_id) + "tasks/"


def task_prefix(user_id: str, project_id: str, task_id: str) -> str:
    """Return the prefix of everything of a task: `users/{userId}/projects/{projectId}/tasks/{taskId}/`."""
    return tasks_prefix(user_id, project_id) + _joined(task_id) + "/"


def output_key(user_id: str, project_id: str, task_id: str, attempt_tag: str, name: str) -> str:
    """Return the key of a finished file.

    `attempt_tag` is the token of the run that writes it, so that two runs never write the same key and the removal of
    an interrupted run's files never meets those of a later one.
    """
    return check_key(task_prefix(user_id, project_id, task_id) + _joined("output", attempt_tag, name))


def work_prefix(user_id: str, project_id: str, task_id: str, attempt: int) -> str:
    """Return the prefix of what an attempt has fetched from a provider and not finished: `.../work/{attempt}/`."""
    return task_prefix(user_id, project_id, task_id) + f"work/{attempt}/"


def work_key(user_id: str, project_id: str, task_id: str, attempt: int, name: str) -> str:
    """Return the key of a picture that a job at a provider has made."""
    return check_key(work_prefix(user_id, project_id, task_id, attempt) + _check_part(name))


def upload_key(user_id: str, image_id: str, extension: str) -> str:
    """Return the key of a picture that a user brought, `users/{userId}/uploads/...`; `extension` has no dot.

    It is called after the first image that names it. It lies outside all projects, since several may name it.
    """
    return check_key(user_prefix(user_id) + _joined("uploads", f"{image_id}.{extension}"))


def check_key(key: str) -> str:
    """Return the key as it is, or raise `ValueError` that says what is wrong with it."""
    for part in key.split("/"):
        _check_part(part)
    if len(key.encode()) > MAX_KEY_BYTES:
        raise ValueError(f"a key has at most {MAX_KEY_BYTES} bytes")
    return key


def check_prefix(prefix: str) -> str:
    """Return a prefix that ends in `/` and names a folder of keys as it is, or raise `ValueError`."""
    if not prefix.endswith("/"):
        raise ValueError("a prefix ends in a slash")
    check_key(prefix[:-1])
    return prefix


def _joined(*parts: str) -> str:
    return "/".join(_check_part(part) for part in parts)


def _check_part(part: str) -> str:
    if part in {"", ".", ".."}:
        raise ValueError("a key has no empty part, no '.' and no '..'")
    if "/" in part or "\\" in part:
        raise ValueError("a part of a key holds neither slash nor backslash")
    # ids and most names are plain ASCII, and addresses are made by the hundred: the quick answer first
    plain = part.isascii() and part.isprintable()
    if not plain and any(unicodedata.category(character) in _REFUSED_CATEGORIES for character in part):
        raise ValueError("a key holds neither control characters nor lone surrogates")
    if len(part.encode()) > MAX_PART_BYTES:
        raise ValueError(f"a part of a key has at most {MAX_PART_BYTES} bytes")
    return part
