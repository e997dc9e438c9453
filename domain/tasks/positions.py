"""Which place in the queue waiting tasks have: in the order of `domain.tasks.turns`, without putting them all in order.

What goes before a task is counted line by line: of lines of a higher rank everything, of its own rank as many tasks as
there are turns before its own. What the queue holds comes first in its line, as it was there first.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from domain import db
from domain.statements import fetch
from domain.tasks.release import WAITS, by_index

_SAME: Final = (
    "{one}.user_id = {other}.user_id AND {one}.priority = {other}.priority AND {one}.suspicion = {other}.suspicion"
)
_POSITIONS: Final = f"""
WITH held AS MATERIALIZED (
    SELECT t.id, t.user_id, t.priority, t.suspicion,
        ROW_NUMBER() OVER (PARTITION BY t.user_id, t.priority, t.suspicion ORDER BY t.created_at, t.id) AS turn
    FROM task t {{held}} WHERE t.status = 'PENDING' AND t.released_at IS NOT NULL AND t.user_id IS NOT NULL
), counted AS (
    SELECT t.priority, t.suspicion, t.user_id, COUNT(*) AS tasks
    FROM task t {{lines}} WHERE {WAITS.format(name="t")} GROUP BY t.priority, t.suspicion, t.user_id
), total AS (
    SELECT s.priority, s.suspicion, s.user_id, SUM(s.held) AS held, SUM(s.tasks) AS tasks FROM (
        SELECT h.priority, h.suspicion, h.user_id, 1 AS held, 1 AS tasks FROM held h
        UNION ALL SELECT c.priority, c.suspicion, c.user_id, 0, c.tasks FROM counted c
    ) AS s GROUP BY s.priority, s.suspicion, s.user_id
), line AS MATERIALIZED (
    SELECT s.user_id, s.priority, s.suspicion, s.held, s.tasks, f.created_at AS head_at, f.id AS head_id,
        CASE WHEN q.at > f.ready_at THEN q.at ELSE f.ready_at END AS since
    FROM total s JOIN task f ON f.id = COALESCE(
        (SELECT h.id FROM held h WHERE h.turn = 1 AND {_SAME.format(one="h", other="s")}),
        (
            SELECT n.id FROM task n {{lines}} WHERE {WAITS.format(name="n")} AND {_SAME.format(one="n", other="s")}
            ORDER BY n.created_at, n.id LIMIT 1
        )
    ) LEFT JOIN queue_turn q ON q.user_id = s.user_id AND q.priority = s.priority
), placed AS (
    SELECT h.id, h.user_id, h.priority, h.suspicion, h.turn FROM held h WHERE h.id IN ({{ids}})
    UNION ALL
    SELECT w.id, w.user_id, w.priority, w.suspicion, l.held + w.place FROM (
        SELECT t.id, t.user_id, t.priority, t.suspicion,
            ROW_NUMBER() OVER (PARTITION BY t.priority, t.suspicion, t.user_id ORDER BY t.created_at, t.id) AS place
        FROM task t {{lines}} WHERE {WAITS.format(name="t")} AND (t.priority, t.suspicion, t.user_id) IN (
            SELECT a.priority, a.suspicion, a.user_id FROM task a WHERE a.id IN ({{ids}})
        )
    ) AS w JOIN line l ON {_SAME.format(one="l", other="w")} WHERE w.id IN ({{ids}})
)
SELECT p.id, (
    SELECT SUM(CASE
        WHEN l.priority > p.priority OR (l.priority = p.priority AND l.suspicion < p.suspicion) THEN l.tasks
        WHEN l.priority < p.priority OR l.suspicion > p.suspicion THEN 0
        WHEN (l.since, l.head_at, l.head_id) <= (o.since, o.head_at, o.head_id) THEN {{least}}(l.tasks, p.turn)
        ELSE {{least}}(l.tasks, p.turn - 1)
    END) FROM line l
) AS position FROM placed p JOIN line o ON {_SAME.format(one="o", other="p")}
"""  # noqa: S608 (no values)


async def queue_positions(task_ids: Sequence[str], now: datetime) -> dict[str, int]:
    """Return the place in the queue (1 is next) of those of the tasks that are PENDING and ready; one statement."""
    if not task_ids:
        return {}
    marks = ", ".join("?" for _ in task_ids)
    least = "LEAST" if db.is_postgres() else "MIN"
    text = _POSITIONS.format(ids=marks, least=least, **by_index())
    # In the order in which the statement has them.
    values = [now, now, *task_ids, now, *task_ids, *task_ids]
    return {row["id"]: int(row["position"]) for row in await fetch(text, values)}
