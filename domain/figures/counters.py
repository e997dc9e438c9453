"""How many tasks ended how: read from the counters, and held against the rows when an administrator asks."""

from collections import defaultdict
from dataclasses import dataclass

from domain import db
from domain.figures.folding import EVERYBODY, add_counts
from domain.lifecycle import TERMINAL, TaskStatus
from domain.statements import fetch

_ENDED = ", ".join(f"'{status}'" for status in sorted(TERMINAL))
_SHOWN = """
SELECT status, SUM(number) AS number FROM (
    SELECT status, number FROM task_count WHERE user_id = ?
    UNION ALL SELECT status, change FROM task_ending{mine}
) AS shown GROUP BY status
"""
# One statement, hence one moment: what a transaction that ends a task writes is in both halves, or in neither.
_COMPARED = f"""
SELECT user_id, status, SUM(truth) AS truth, SUM(shown) AS shown, SUM(folded) AS folded FROM (
    SELECT user_id, status, COUNT(*) AS truth, 0 AS shown, 0 AS folded FROM task
    WHERE status IN ({_ENDED}) AND user_id IS NOT NULL GROUP BY user_id, status
    UNION ALL SELECT a.user_id, a.status, COUNT(*), 0, 0 FROM archived_task a
    JOIN project p ON p.id = a.project_id WHERE p.user_id IS NOT NULL GROUP BY a.user_id, a.status
    UNION ALL SELECT user_id, status, 0, number, number FROM task_count
    UNION ALL SELECT user_id, status, 0, change, 0 FROM task_ending
) AS compared GROUP BY user_id, status
"""  # noqa: S608 (constant text)


@dataclass(frozen=True, slots=True)
class WrongCount:
    """A counter that is not what the rows say; the user '' is everybody."""

    user_id: str
    status: TaskStatus
    shown: int
    truth: int


async def ended_counts(user_id: str | None) -> dict[TaskStatus, int]:
    """Return how many of a user's tasks, or with None of everybody's, ended how; archived ones count, deleted do not.

    One statement, whose cost does not depend on how many tasks there are.
    """
    text = _SHOWN.format(mine="" if user_id is None else " WHERE user_id = ?")
    rows = await fetch(text, [EVERYBODY] if user_id is None else [user_id, user_id])
    found = {TaskStatus(row["status"]): int(row["number"]) for row in rows}
    return {status: found.get(status, 0) for status in sorted(TERMINAL)}


async def wrong_counts() -> list[WrongCount]:
    """Count every task and return the counters that say something else; reads the whole table."""
    wrong, folded = [], defaultdict[TaskStatus, int](int)
    truths, shown = defaultdict[TaskStatus, int](int), defaultdict[TaskStatus, int](int)
    for row in await fetch(_COMPARED, []):
        status = TaskStatus(row["status"])
        if row["user_id"] == EVERYBODY:
            folded[status] = int(row["folded"])
            continue
        found = WrongCount(row["user_id"], status, int(row["shown"]), int(row["truth"]))
        truths[status] += found.truth
        # Everybody's counter lacks what is still in the journal, which is there by user only.
        shown[status] += found.shown - int(row["folded"])
        if found.shown != found.truth:
            wrong.append(found)
    for status in sorted(TERMINAL):
        total = WrongCount(EVERYBODY, status, folded[status] + shown[status], truths[status])
        if total.shown != total.truth:
            wrong.append(total)
    return wrong


async def mend_counts() -> list[WrongCount]:
    """Set right the counters that are wrong; returns what they were. Tasks go on ending meanwhile."""
    async with db.transaction():
        await db.lock_figures()
        wrong = await wrong_counts()
        await add_counts({(one.user_id, one.status): one.truth - one.shown for one in wrong})
    return wrong
