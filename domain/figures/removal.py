"""Forgetting the figures of users who are gone; those of everybody together stay."""

from typing import Final

from domain.db import connection

_OF_NOBODY: Final = "user_id <> '' AND NOT EXISTS (SELECT 1 FROM user_account WHERE user_account.id = {table}.user_id)"


async def forget_figures_of_nobody() -> int:
    """Remove them; returns how many rows went. What is folded in later goes with the next call."""
    gone = 0
    for table in ("task_count", "task_tally"):
        condition = _OF_NOBODY.format(table=table)
        count, _ = await connection().execute_query(f"DELETE FROM {table} WHERE {condition}")  # noqa: S608 (names of our own)
        gone += count
    return gone
