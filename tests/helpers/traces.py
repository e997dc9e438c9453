"""Where in the database something is still mentioned."""

from tortoise import Tortoise

from domain.db import APP


async def tables_that_mention(*texts: str) -> set[str]:
    """Return the tables of which a row holds one of the texts in any column."""
    found = set()
    for model in Tortoise.apps[APP].values():
        for row in await model.all().values():
            if any(text in str(value) for text in texts for value in row.values()):
                found.add(str(model._meta.db_table))
    return found


async def rows_that_mention(*texts: str) -> list[str]:
    """Return the rows in which one of the texts stands, as text, in order."""
    found: list[str] = []
    for model in Tortoise.apps[APP].values():
        rows = [sorted(row.items(), key=str) for row in await model.all().values()]
        found += [f"{model._meta.db_table} {row}" for row in rows if any(text in str(row) for text in texts)]
    return sorted(found)
