"""What holds of the rows of tasks at every moment, as statements that find where it does not, and set it right.

Each is one condition over one snapshot, in SQL that both databases read. `{now}` and the like stand for values, see
`VALUES`. They are looked at in this order: what an earlier one sets right, a later one may build on.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

#: Moments that conditions and changes name, as distances from now.
VALUES: Final[Mapping[str, timedelta]] = {
    "now": timedelta(),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(days=8),
}


@dataclass(frozen=True, slots=True)
class Rule:
    """One invariant."""

    #: What is found, as reports name it.
    kind: str
    table: str
    #: Of the rows that break it.
    broken: str
    #: What an UPDATE sets; None when the row is to go.
    change: str | None
    #: A further statement in the same transaction, with the row's id as its one value.
    also: str | None = None


_ENDED: Final = "status IN ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMEOUT')"
_KNOWN: Final = "'PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMEOUT'"
_ACTIVE: Final = "status IN ('PENDING', 'RUNNING')"
_LAST: Final = "(SELECT e.{column} FROM task_event e WHERE e.task_id = task.id ORDER BY e.sequence DESC LIMIT 1)"
_CHECK_GATE: Final = "INSERT INTO gate_check (task_id) VALUES (?)"
_UNFULFILLED: Final = """EXISTS (SELECT 1 FROM task_dependency d LEFT JOIN task p ON p.id = d.depends_on_id
    LEFT JOIN archived_task a ON a.id = d.depends_on_id
    WHERE d.task_id = task.id AND COALESCE(p.status, a.status, '') <> 'COMPLETED')"""
_AWAITED: Final = """EXISTS (SELECT 1 FROM task_dependency d JOIN task p ON p.id = d.depends_on_id
    WHERE d.task_id = task.id AND p.status IN ('PENDING', 'RUNNING'))"""
_GATE_CHECKED: Final = "EXISTS (SELECT 1 FROM gate_check g WHERE g.task_id = task.id)"
_JOBS: Final = "EXISTS (SELECT 1 FROM external_job j WHERE j.task_id = task.id AND j.attempt = task.attempt)"
_NO_ERROR: Final = "error_code = NULL, error_message = NULL, error_retryable = NULL"


def _as_last_event(kind: str, column: str, empty: str) -> Rule:
    """Return that a column is as the task's last event has it, which was written with the same change."""
    last = _LAST.format(column=column)
    there = "EXISTS (SELECT 1 FROM task_event e WHERE e.task_id = task.id)"
    return Rule(
        kind, "task", f"{there} AND COALESCE({column}, {empty}) <> COALESCE({last}, {empty})", f"{column} = {last}"
    )


_OF_EVENTS: Final = (
    Rule(
        "wrong_sequence",
        "task",
        f"sequence <> COALESCE({_LAST.format(column='sequence')}, 0)",
        f"sequence = COALESCE({_LAST.format(column='sequence')}, 0)",
    ),
    Rule(
        # The end of a task, or that it has none, stands in two places; what the third says is then wrong.
        "wrong_status",
        "task",
        f"status <> {_LAST.format(column='status')} AND (status NOT IN ({_KNOWN}) OR (finished_at IS NULL AND "
        f"{_LAST.format(column='status')} IN ('PENDING', 'RUNNING')) OR (finished_at IS NOT NULL AND "
        f"{_LAST.format(column='status')} NOT IN ('PENDING', 'RUNNING')))",
        f"status = {_LAST.format(column='status')}",
    ),
    Rule(
        "missing_last_event",
        "task",
        f"status <> COALESCE({_LAST.format(column='status')}, '')",
        "sequence = sequence + 1",
        "INSERT INTO task_event (task_id, project_id, sequence, status, stage, progress, message, attempt, "
        "quality_retries, at) SELECT id, project_id, sequence, status, stage, progress, 'found so by repairTasks', "
        "attempt, quality_retries, COALESCE(finished_at, created_at) FROM task WHERE id = ?",
    ),
    _as_last_event("wrong_stage", "stage", "''"),
    _as_last_event("wrong_progress", "progress", "-1"),
    _as_last_event("wrong_attempt", "attempt", "-1"),
    _as_last_event("wrong_round", "quality_retries", "-1"),
)
_OF_TIMES: Final = (
    Rule("wrong_finish", "task", f"{_ACTIVE} AND finished_at IS NOT NULL", "finished_at = NULL"),
    Rule(
        "wrong_finish",
        "task",
        f"{_ENDED} AND (finished_at IS NULL OR finished_at > {{hour}} "
        "OR finished_at < COALESCE(started_at, created_at))",
        f"finished_at = COALESCE({_LAST.format(column='at')}, {{now}}), started_at = CASE "
        f"WHEN started_at > COALESCE({_LAST.format(column='at')}, {{now}}) THEN created_at ELSE started_at END",
    ),
    Rule(
        "wrong_start",
        "task",
        "status = 'RUNNING' AND (started_at IS NULL OR attempt_started_at IS NULL OR started_at > {hour} "
        "OR attempt_started_at > {hour} OR attempt_started_at < started_at)",
        "started_at = CASE WHEN started_at <= {hour} THEN started_at ELSE {now} END, "
        "attempt_started_at = CASE WHEN attempt_started_at <= {hour} AND attempt_started_at >= started_at "
        "THEN attempt_started_at WHEN started_at <= {hour} THEN started_at ELSE {now} END",
    ),
    Rule("wrong_start", "task", "status = 'PENDING' AND attempt_started_at IS NOT NULL", "attempt_started_at = NULL"),
    Rule("wrong_wait", "task", "wait_seconds < 0", "wait_seconds = NULL"),
)
_OF_WAITING: Final = (
    Rule(
        "pending_with_worker",
        "task",
        "status = 'PENDING' AND (owner_token IS NOT NULL OR lease_until IS NOT NULL OR next_check_at IS NOT NULL)",
        "owner_token = NULL, lease_until = NULL, next_check_at = NULL",
    ),
    Rule("pending_too_long", "task", "status = 'PENDING' AND ready_at > {day}", "ready_at = {now}"),
    Rule(
        "wrong_suspicion",
        "task",
        "status = 'PENDING' AND suspicion <> CASE WHEN losses > 2 THEN losses ELSE 0 END",
        "suspicion = CASE WHEN losses > 2 THEN losses ELSE 0 END",
    ),
    Rule(
        "waits_for_itself",
        "task_dependency",
        "task_id = depends_on_id",
        None,
    ),
    Rule(
        "wrong_gate",
        "task",
        f"status = 'PENDING' AND gate <> 1 AND (gate <> 0 OR {_UNFULFILLED})",
        "gate = 1, released_at = NULL, released_to = NULL",
        _CHECK_GATE,
    ),
    Rule(
        "forgotten_gate",
        "task",
        f"status = 'PENDING' AND gate = 1 AND NOT {_AWAITED} AND NOT {_GATE_CHECKED}",
        "gate = 1",
        _CHECK_GATE,
    ),
)
_OF_WORK: Final = (
    Rule(
        "running_without_lease",
        "task",
        "status = 'RUNNING' AND owner_token IS NOT NULL AND (lease_until IS NULL OR lease_until > {day})",
        "lease_until = {now}",
    ),
    Rule(
        "lease_without_worker",
        "task",
        "status = 'RUNNING' AND owner_token IS NULL AND lease_until IS NOT NULL",
        "lease_until = NULL",
    ),
    Rule(
        "parked_with_worker",
        "task",
        "status = 'RUNNING' AND owner_token IS NOT NULL AND next_check_at IS NOT NULL",
        "next_check_at = NULL",
    ),
    Rule(
        "parked_and_released",
        "task",
        "status = 'RUNNING' AND next_check_at IS NOT NULL AND released_at IS NOT NULL",
        "released_at = NULL, released_to = NULL",
    ),
    Rule(
        "parked_without_jobs",
        "task",
        f"status = 'RUNNING' AND owner_token IS NULL AND next_check_at IS NOT NULL AND NOT {_JOBS}",
        "next_check_at = NULL, external = FALSE",
    ),
    Rule(
        "parked_too_long",
        "task",
        "status = 'RUNNING' AND next_check_at IS NOT NULL "
        "AND (external_until > {week} OR next_check_at > COALESCE(external_until, {day}))",
        "next_check_at = {now}, external_until = CASE WHEN external_until > {week} THEN NULL ELSE external_until END",
    ),
    Rule("forgotten_jobs", "task", f"status = 'RUNNING' AND NOT external AND {_JOBS}", "external = TRUE"),
    Rule(
        "wrong_checks",
        "task",
        "check_count < 0 OR max_checks < 1",
        "check_count = 0, max_checks = NULL",
    ),
)
_OF_ENDS: Final = (
    Rule(
        "ended_with_worker",
        "task",
        f"{_ENDED} AND (owner_token IS NOT NULL OR lease_until IS NOT NULL OR next_check_at IS NOT NULL)",
        "owner_token = NULL, lease_until = NULL, next_check_at = NULL",
    ),
    Rule("wrong_external", "task", "status <> 'RUNNING' AND external", "external = FALSE"),
    Rule("wrong_claim", "task", f"{_ENDED} AND active_fingerprint IS NOT NULL", "active_fingerprint = NULL"),
    Rule(
        "wrong_claim",
        "task",
        f"{_ACTIVE} AND active_fingerprint IS NOT NULL AND active_fingerprint <> fingerprint",
        "active_fingerprint = NULL",
    ),
    Rule("wrong_error", "task", "status NOT IN ('FAILED', 'TIMEOUT') AND error_code IS NOT NULL", _NO_ERROR),
    Rule(
        "wrong_error",
        "task",
        "status IN ('FAILED', 'TIMEOUT') AND (error_code IS NULL OR error_message IS NULL OR error_retryable IS NULL)",
        "error_code = COALESCE(error_code, CASE WHEN status = 'TIMEOUT' THEN 'TIMEOUT' ELSE 'INTERNAL' END), "
        f"error_message = COALESCE(error_message, {_LAST.format(column='message')}, 'The reason is not known.'), "
        "error_retryable = COALESCE(error_retryable, TRUE)",
    ),
)
_OF_JOBS: Final = (
    Rule(
        "job_of_nobody",
        "external_job",
        "state IN ('SUBMITTING', 'WAITING') AND (cancel_at IS NULL OR cancel_at > {hour}) AND NOT EXISTS (SELECT 1 "
        "FROM task t WHERE t.id = external_job.task_id AND t.attempt = external_job.attempt AND t.status = 'RUNNING')",
        "cancel_at = {now}",
    ),
    Rule(
        "job_without_id",
        "external_job",
        "state = 'WAITING' AND external_id IS NULL",
        "state = 'SUBMITTING'",
    ),
    Rule(
        "job_not_noted",
        "external_job",
        "state = 'SUBMITTING' AND external_id IS NOT NULL",
        "state = 'WAITING', submitted_at = COALESCE(submitted_at, created_at)",
    ),
    Rule("job_without_result", "external_job", "state = 'FETCHED' AND result IS NULL", "state = 'DONE'"),
    Rule(
        "job_without_end",
        "external_job",
        "state IN ('DONE', 'FETCHED', 'FAILED') AND finished_at IS NULL",
        "finished_at = {now}",
    ),
    Rule(
        "job_without_reason",
        "external_job",
        "state = 'FAILED' AND (error_code IS NULL OR error_message IS NULL OR error_retryable IS NULL)",
        "error_code = COALESCE(error_code, 'INTERNAL'), "
        "error_message = COALESCE(error_message, 'The reason is not known.'), "
        "error_retryable = COALESCE(error_retryable, TRUE)",
    ),
)
_OF_OWNERS: Final = (
    Rule(
        "wrong_owner",
        "task",
        "EXISTS (SELECT 1 FROM project p WHERE p.id = task.project_id "
        "AND COALESCE(p.user_id, '') <> COALESCE(task.user_id, ''))",
        "user_id = (SELECT p.user_id FROM project p WHERE p.id = task.project_id), active_fingerprint = NULL",
    ),
    Rule(
        "wrong_owner",
        "asset",
        "EXISTS (SELECT 1 FROM task t WHERE t.id = asset.task_id AND (COALESCE(t.user_id, '') <> "
        "COALESCE(asset.user_id, '') OR t.project_id <> asset.project_id OR t.asset_type <> asset.asset_type))",
        "user_id = (SELECT t.user_id FROM task t WHERE t.id = asset.task_id), "
        "project_id = (SELECT t.project_id FROM task t WHERE t.id = asset.task_id), "
        "asset_type = (SELECT t.asset_type FROM task t WHERE t.id = asset.task_id)",
    ),
    Rule(
        "wrong_owner",
        "uploaded_image",
        "EXISTS (SELECT 1 FROM project p WHERE p.id = uploaded_image.project_id "
        "AND COALESCE(p.user_id, '') <> COALESCE(uploaded_image.user_id, ''))",
        "user_id = (SELECT p.user_id FROM project p WHERE p.id = uploaded_image.project_id)",
    ),
)
_OBJECT: Final = "FROM stored_upload s WHERE s.user_id = uploaded_image.user_id AND s.sha256 = uploaded_image.sha256"
_OF_UPLOADS: Final = (
    Rule(
        "upload_of_nobody",
        "stored_upload",
        "NOT EXISTS (SELECT 1 FROM uploaded_image i "
        "WHERE i.user_id = stored_upload.user_id AND i.sha256 = stored_upload.sha256)",
        None,
    ),
    Rule(
        "upload_not_noted",
        "uploaded_image",
        "user_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM stored_upload s WHERE s.storage_key = "
        "uploaded_image.storage_key OR (s.user_id = uploaded_image.user_id AND s.sha256 = uploaded_image.sha256))",
        "user_id = user_id",
        "INSERT INTO stored_upload (user_id, sha256, storage_key, size_bytes) "
        "SELECT user_id, sha256, storage_key, size_bytes FROM uploaded_image WHERE id = ?",
    ),
    Rule(
        "wrong_upload",
        "uploaded_image",
        f"EXISTS (SELECT 1 {_OBJECT} "
        "AND (s.storage_key <> uploaded_image.storage_key OR s.size_bytes <> uploaded_image.size_bytes))",
        f"storage_key = (SELECT s.storage_key {_OBJECT}), size_bytes = (SELECT s.size_bytes {_OBJECT})",
    ),
)
_NO_TASK: Final = "NOT EXISTS (SELECT 1 FROM task t WHERE t.id = {table}.task_id)"
_OF_NOBODY: Final = tuple(
    Rule(f"{name}_of_nobody", table, _NO_TASK.format(table=table), None)
    for name, table in (
        ("event", "task_event"),
        ("verdict", "quality_check"),
        ("dependency", "task_dependency"),
        ("key", "idempotency_key"),
    )
)
_OF_ERRANDS: Final = (
    Rule(
        "forgotten_deletion",
        "storage_deletion",
        "(next_try_at > final_at AND next_try_at > {day}) OR next_try_at > {week}",
        "next_try_at = {now}",
    ),
    Rule(
        "forgotten_message",
        "webhook_delivery",
        "state = 'PENDING' AND (next_try_at IS NULL OR next_try_at > {week})",
        "next_try_at = {now}, lease_until = NULL",
    ),
    Rule(
        "settled_message",
        "webhook_delivery",
        "state <> 'PENDING' AND next_try_at IS NOT NULL",
        "next_try_at = NULL",
    ),
)
RULES: Final = (
    *_OF_NOBODY,
    *_OF_EVENTS,
    *_OF_TIMES,
    *_OF_WAITING,
    *_OF_WORK,
    *_OF_ENDS,
    *_OF_JOBS,
    *_OF_OWNERS,
    *_OF_UPLOADS,
    *_OF_ERRANDS,
)
