"""The administrators' part: what they see and do, and that nobody else can."""

from dataclasses import replace
from datetime import timedelta

import pytest

from domain.admin import Admin
from domain.ids import IdPrefix, new_id
from domain.kinds import Role
from domain.lifecycle import TaskStatus
from domain.models.accounts import User
from domain.models.operations import ArchivedTask, AuditEntry, CleanupRun, ScheduleRow
from domain.models.storage import StorageDeletion
from domain.models.tasks import Asset, Task, TaskEventRow
from domain.quotas import used_bytes
from domain.tasks import work
from domain.tasks.release import release
from tests.conftest import MovableClock
from tests.domain.tasks.test_work import asset, started
from tests.helpers.api import Api, no_checks
from tests.helpers.room import make_user
from tests.helpers.sql import recorded_sql
from worker.scheduler import Duty, every

REPORT = "operation found changed dryRun details errors { code path }"
OPERATIONS = (
    "query { admin { schedules { name } } }",
    "query { admin { users { totalCount } } }",
    f"mutation {{ admin {{ processPending {{ {REPORT} }} }} }}",
    f"mutation {{ admin {{ checkStatuses {{ {REPORT} }} }} }}",
    f"mutation {{ admin {{ repairTasks {{ {REPORT} }} }} }}",
    f"mutation {{ admin {{ cleanupTasks {{ {REPORT} }} }} }}",
    "mutation { admin { pauseQueue { paused } } }",
    "mutation { admin { resumeQueue { paused } } }",
    'mutation { admin { setUserLimits(userId: "usr_x", maxActiveTasks: 1) { errors { code } } } }',
    "mutation { admin { setRoleLimits(role: USER, maxActiveTasks: 1) { errors { code } } } }",
    "query { admin { roleLimits { role } } }",
    f'mutation {{ admin {{ runSchedule(name: "release") {{ {REPORT} }} }} }}',
)


@pytest.fixture
async def admin(api: Api) -> User:
    await User.filter(id=api.room.stranger.id).update(role=Role.ADMIN)
    return await User.get(id=api.room.stranger.id)


@pytest.mark.parametrize("operation", OPERATIONS)
async def test_others_are_forbidden_and_nobody_is_unauthenticated(api: Api, operation: str) -> None:
    assert (await api.refused(operation, api.room.user))[0] == "FORBIDDEN"
    assert (await api.refused(operation))[0] == "UNAUTHENTICATED"
    assert await AuditEntry.all().count() == 0


async def test_everybodys_tasks_and_users_are_seen_with_what_hangs_on_them(api: Api, admin: User) -> None:
    task = await api.room.submit("mine")
    data = await api.ask(
        """{ admin { tasks { edges { node { id project { name tasks { totalCount } } events { sequence } } } }
            users(search: "ADA") { edges { node { email limits { activeTasks maxActiveTasks } } } }
            schedules { name description lastStartedAt } } }""",
        admin,
    )
    [node] = [edge["node"] for edge in data["admin"]["tasks"]["edges"]]
    assert (node["id"], node["project"]["tasks"]["totalCount"], len(node["events"])) == (task.id, 1, 1)
    assert [edge["node"]["email"] for edge in data["admin"]["users"]["edges"]] == ["ada@example.com"]
    assert data["admin"]["schedules"] == [
        {"name": "release", "description": "Hands ready tasks over.", "lastStartedAt": None}
    ]
    mine = "query($id: ID!) { admin { tasks(userId: $id) { totalCount } } }"
    assert (await api.ask(mine, admin, id=admin.id))["admin"]["tasks"]["totalCount"] == 0


async def test_pausing_holds_back_what_waits_and_is_a_row(api: Api, admin: User) -> None:
    await api.room.submit("released")
    await release(api.room.deps)
    paused = await api.ask("mutation { admin { pauseQueue { paused pending } } }", admin)
    assert paused["admin"]["pauseQueue"] == {"paused": True, "pending": 1}
    assert await work.claim(api.room.deps, await api.room.queue._next()) is None
    assert await release(api.room.deps) == 0
    assert (await api.ask("{ queueStats { paused } }"))["queueStats"]["paused"]
    told = await api.ask(f"mutation {{ admin {{ processPending {{ {REPORT} }} }} }}", admin)
    assert told["admin"]["processPending"]["details"] == [
        "The queue is paused: nothing is handed out until resumeQueue."
    ]
    await api.ask("mutation { admin { resumeQueue { paused } } }", admin)
    report = (await api.ask(f"mutation {{ admin {{ processPending {{ {REPORT} }} }} }}", admin))["admin"][
        "processPending"
    ]
    assert (report["changed"], report["details"]) == (1, [])
    log = await api.ask("{ admin { auditLog { edges { node { action userId target details } } } } }", admin)
    # In the same moment of a clock that stands still, in any order.
    assert sorted(edge["node"]["action"] for edge in log["admin"]["auditLog"]["edges"]) == [
        "pauseQueue",
        "processPending",
        "processPending",
        "resumeQueue",
    ]


async def test_limits_of_a_user_are_set_and_taken_back(api: Api, admin: User) -> None:
    change = """mutation($id: ID!, $max: Int) { admin { setUserLimits(userId: $id, maxActiveTasks: $max) {
        user { limits { maxActiveTasks } } errors { code path } } } }"""
    user_id = api.room.user.id
    answer = (await api.ask(change, admin, id=user_id, max=1))["admin"]["setUserLimits"]
    assert answer == {"user": {"limits": {"maxActiveTasks": 1}}, "errors": []}
    assert (await User.get(id=user_id)).max_active_tasks == 1
    await api.ask(change, admin, id=user_id, max=None)
    assert (await User.get(id=user_id)).max_active_tasks is None
    for wrong, code in (({"id": "usr_nobody", "max": 1}, "NOT_FOUND"), ({"id": user_id, "max": -1}, "INVALID_INPUT")):
        answer = (await api.ask(change, admin, **wrong))["admin"]["setUserLimits"]
        assert [error["code"] for error in answer["errors"]] == [code]
    assert await AuditEntry.filter(action="setUserLimits").count() == 2


async def test_a_users_space_is_set_and_shown_and_what_is_left_out_stays(api: Api, admin: User) -> None:
    user_id = api.room.user.id
    await User.filter(id=user_id).update(max_active_tasks=7)
    change = """mutation($id: ID!, $max: Float) { admin { setUserLimits(userId: $id, maxStorageBytes: $max) {
        user { limits { maxActiveTasks storageBytes maxStorageBytes } } errors { code path } } } }"""
    limits = (await api.ask(change, admin, id=user_id, max=5_000_000_000))["admin"]["setUserLimits"]["user"]["limits"]
    assert limits == {"maxActiveTasks": 7, "storageBytes": 0, "maxStorageBytes": 5_000_000_000}
    limits = (await api.ask(change, admin, id=user_id, max=None))["admin"]["setUserLimits"]["user"]["limits"]
    assert limits == {"maxActiveTasks": 7, "storageBytes": 0, "maxStorageBytes": 100_000_000_000}
    for wrong in (-1, 0.5, 1e300):
        answer = (await api.ask(change, admin, id=user_id, max=wrong))["admin"]["setUserLimits"]
        assert answer["errors"] == [{"code": "INVALID_INPUT", "path": ["maxStorageBytes"]}]
    entries = await AuditEntry.filter(action="setUserLimits").order_by("at")
    assert [entry.details for entry in entries] == [{"maxStorageBytes": 5_000_000_000}, {"maxStorageBytes": None}]


async def test_limits_of_a_role_are_set_and_taken_back_and_say_where_they_come_from(api: Api, admin: User) -> None:
    change = """mutation($max: Int) { admin { setRoleLimits(role: USER, maxActiveTasks: $max) {
        limits { role maxActiveTasks source } errors { code path } } } }"""
    mine = "{ me { limits { activeTasks maxActiveTasks source } } }"
    server = api.room.deps.settings.max_active_tasks
    assert (await api.ask(mine))["me"]["limits"] == {
        "activeTasks": 0,
        "maxActiveTasks": server,
        "source": "SERVER",
    }
    answer = (await api.ask(change, admin, max=2))["admin"]["setRoleLimits"]
    assert answer == {"limits": {"role": "USER", "maxActiveTasks": 2, "source": "ROLE"}, "errors": []}
    await api.room.submit()
    assert (await api.ask(mine))["me"]["limits"] == {"activeTasks": 1, "maxActiveTasks": 2, "source": "ROLE"}
    assert (await api.ask(mine, admin))["me"]["limits"]["source"] == "SERVER"
    await User.filter(id=api.room.user.id).update(max_active_tasks=5)
    api.room.user.max_active_tasks = 5
    assert (await api.ask(mine))["me"]["limits"] == {"activeTasks": 1, "maxActiveTasks": 5, "source": "USER"}
    listed = "{ admin { roleLimits { role maxActiveTasks source } } }"
    assert (await api.ask(listed, admin))["admin"]["roleLimits"] == [
        {"role": "USER", "maxActiveTasks": 2, "source": "ROLE"},
        {"role": "ADMIN", "maxActiveTasks": server, "source": "SERVER"},
    ]
    back = (await api.ask(change, admin, max=None))["admin"]["setRoleLimits"]["limits"]
    assert back == {"role": "USER", "maxActiveTasks": server, "source": "SERVER"}
    for wrong in (-1, 100_001):
        answer = (await api.ask(change, admin, max=wrong))["admin"]["setRoleLimits"]
        assert answer == {"limits": None, "errors": [{"code": "INVALID_INPUT", "path": ["maxActiveTasks"]}]}
    log = await AuditEntry.filter(action="setRoleLimits").order_by("id")
    assert [(entry.target, entry.details) for entry in log] == [
        ("USER", {"maxActiveTasks": 2}),
        ("USER", {"maxActiveTasks": None}),
    ]


async def test_limits_of_many_users_take_the_same_statements_as_those_of_one(api: Api, admin: User) -> None:
    document = "{ admin { users { edges { node { limits { activeTasks maxActiveTasks source } } } } } }"
    await api.ask(document, admin)
    for number in range(10):
        await make_user(api.room.deps.clock, f"user{number}")
    with recorded_sql() as statements:
        users = (await api.ask(document, admin))["admin"]["users"]["edges"]
    assert (len(users), len(statements)) == (12, 3)


async def _ended(api: Api, prompt: str, *, files: int = 0) -> Task:
    claim = await started(api.room, prompt)
    await work.complete(api.room.deps, claim, [asset(claim, n) for n in range(files)], "completed", degraded=False)
    return await Task.get(id=claim.task.id)


async def test_a_clean_up_archives_old_tasks_and_a_dry_run_only_tells_the_truth(
    api: Api, admin: User, clock: MovableClock
) -> None:
    old = await _ended(api, "old", files=2)
    await api.room.submit("old but waiting", depends_on=(old.id,))
    clock.advance(timedelta(days=8).total_seconds())
    await _ended(api, "young", files=1)
    clean = f"mutation($dry: Boolean) {{ admin {{ cleanupTasks(olderThanDays: 7, dryRun: $dry) {{ {REPORT} }} }} }}"
    waiting = (await api.ask(clean, admin, dry=True))["admin"]["cleanupTasks"]
    assert waiting["found"] == 0, "an active task waits for it"
    await Task.filter(prompt="old but waiting").update(status=TaskStatus.CANCELLED, finished_at=clock.now())
    dry = (await api.ask(clean, admin, dry=True))["admin"]["cleanupTasks"]
    assert (dry["found"], dry["changed"], await Task.all().count()) == (1, 0, 3)
    real = (await api.ask(clean, admin, dry=False))["admin"]["cleanupTasks"]
    assert (real["found"], real["changed"], real["details"]) == (1, 1, dry["details"])
    left = sum(asset.size_bytes for asset in await Asset.filter(user_id=api.room.user.id))
    assert await used_bytes([api.room.user.id]) == [left]
    assert left > 0
    archived = await ArchivedTask.get(id=old.id)
    assert (archived.prompt, archived.assets, archived.size_bytes) == ("old", 2, 2)
    assert await Task.filter(id=old.id).count() == await TaskEventRow.filter(task_id=old.id).count() == 0
    assert await Asset.filter(task_id=old.id).count() == 0
    assert [row.target for row in await StorageDeletion.all()] == [
        f"users/{api.room.user.id}/projects/{api.room.project.id}/tasks/{old.id}/"
    ]
    assert await CleanupRun.all().count() == 3
    seen = await api.ask(
        """{ admin { archivedTasks { edges { node { taskId status assets sizeBytes } } }
            cleanupRuns(first: 1) { totalCount edges { node { id scheduled durationSeconds error } } } } }""",
        admin,
    )
    assert seen["admin"]["archivedTasks"]["edges"][0]["node"]["taskId"] == old.id
    runs = seen["admin"]["cleanupRuns"]
    assert runs["totalCount"] == 3
    assert runs["edges"][0]["node"]["error"] is None
    run_id = runs["edges"][0]["node"]["id"]
    assert run_id in await AuditEntry.filter(action="cleanupTasks").values_list("target", flat=True)
    by_id = "query($id: ID!) { node(id: $id) { id ... on CleanupRun { tasks } } }"
    assert (await api.ask(by_id, admin, id=run_id))["node"]["id"] == run_id
    assert (await api.ask(by_id, api.room.user, id=run_id))["node"] is None
    assert (await api.ask(by_id, admin, id=new_id(IdPrefix.CLEANUP_RUN)))["node"] is None
    wrong = "mutation { admin { cleanupTasks(olderThanDays: -1) { errors { code path } } } }"
    assert (await api.ask(wrong, admin))["admin"]["cleanupTasks"]["errors"] == [
        {"code": "INVALID_INPUT", "path": ["olderThanDays"]}
    ]
    log = await api.ask("{ admin { auditLog(first: 2) { edges { node { details } } } } }", admin)
    assert [edge["node"]["details"] for edge in log["admin"]["auditLog"]["edges"]] == [
        {"olderThanDays": 7, "dryRun": dry_run, "tasks": real["found"]} for dry_run in (False, True)
    ]


async def test_repair_finds_and_mends_every_kind(api: Api, admin: User, clock: MovableClock) -> None:
    storage = api.services.storage
    lost = (await started(api.room, "lost")).task
    done = await _ended(api, "done", files=1)
    await Task.filter(id=done.id).update(progress=50, finished_at=None, active_fingerprint="x")
    forgotten = await api.room.submit("forgotten")
    await release(api.room.deps)
    api.room.queue._entries.clear()
    api.room.queue._lines.clear()
    stray = f"users/{api.room.user.id}/projects/{api.room.project.id}/tasks/{done.id}/output/wrk_x/stray.png"
    busy = (
        f"users/{api.room.user.id}/projects/{api.room.project.id}/tasks/{forgotten.id}/output/wrk_x/being-written.png"
    )
    for key in (stray, busy):
        await storage.put(key, b"x", "image/png")
    clock.advance(api.room.deps.settings.lease_seconds + 1)
    fix = f"mutation($dry: Boolean!) {{ admin {{ repairTasks(dryRun: $dry) {{ {REPORT} }} }} }}"
    dry = (await api.ask(fix, admin, dry=True))["admin"]["repairTasks"]
    assert {detail.partition(":")[0] for detail in dry["details"]} == {
        "running_without_worker",
        "released_without_entry",
        "wrong_progress",
        "wrong_finish",
        "wrong_claim",
        "asset_without_file",
        "file_without_asset",
    }
    assert dry["changed"] == 0
    assert (await Task.get(id=lost.id)).status is TaskStatus.RUNNING
    real = (await api.ask(fix, admin, dry=False))["admin"]["repairTasks"]
    assert (real["found"], real["changed"]) == (dry["found"], dry["found"] - 1)
    assert (await Task.get(id=lost.id)).status is TaskStatus.PENDING
    assert [row.target for row in await StorageDeletion.all()] == [stray]
    again = (await api.ask(fix, admin, dry=True))["admin"]["repairTasks"]
    assert [detail.partition(":")[0] for detail in again["details"]] == ["asset_without_file"]


async def test_every_schedule_can_be_run_by_hand(api: Api, admin: User) -> None:
    run = f"mutation($name: String!) {{ admin {{ runSchedule(name: $name) {{ {REPORT} }} }} }}"
    report = (await api.ask(run, admin, name="release"))["admin"]["runSchedule"]
    assert (report["operation"], report["found"], report["changed"], report["errors"]) == ("runSchedule", 0, 0, [])
    listed = "{ admin { schedules { name running lastStartedAt lastFinishedAt done error } } }"
    [schedule] = (await api.ask(listed, admin))["admin"]["schedules"]
    assert (schedule["running"], schedule["done"], schedule["error"]) == (False, 0, None)
    assert schedule["lastFinishedAt"] is not None
    await ScheduleRow.filter(name="release").update(owner="another", lease_until=api.room.deps.clock.now())
    assert (await api.ask(listed, admin))["admin"]["schedules"][0]["running"]
    for name, code in (("release", "CONFLICT"), ("nothing", "NOT_FOUND")):
        answer = (await api.ask(run, admin, name=name))["admin"]["runSchedule"]
        assert [(error["code"], error["path"]) for error in answer["errors"]] == [(code, ["name"])]
        assert answer["operation"] == "runSchedule"
    refused = f"mutation {{ admin {{ cleanupTasks(olderThanDays: -1) {{ {REPORT} }} }} }}"
    assert (await api.ask(refused, admin))["admin"]["cleanupTasks"]["operation"] == "cleanupTasks"
    log = await AuditEntry.filter(action="runSchedule")
    assert [(entry.target, entry.details) for entry in log] == [("release", {"done": 0, "error": None})]


async def test_a_run_by_hand_that_fails_is_told_masked_and_kept(api: Api, admin: User) -> None:
    async def fail() -> int:
        raise ZeroDivisionError("a secret")

    broken = Admin(api.room.deps, api.services.storage, [Duty("broken", "Breaks.", every(30), fail)], no_checks)
    api.services = replace(api.services, admin=broken)
    run = f'mutation {{ admin {{ runSchedule(name: "broken") {{ {REPORT} }} }} }}'
    code, message = await api.refused(run, admin)
    assert code == "INTERNAL"
    assert "secret" not in message
    assert (await ScheduleRow.get(name="broken")).error == "ZeroDivisionError"
    assert (await AuditEntry.get(action="runSchedule")).details == {"done": None, "error": "ZeroDivisionError"}
