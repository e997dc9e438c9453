"""Credentials for programs."""

from datetime import datetime

import strawberry

from domain.models import accounts
from schema.declare import described, output
from schema.enums import ApiKeyScope
from schema.node import Node


@output
class ApiKey(Node):
    """A credential for programs, sent like an access token. The key itself is shown once, when it is made."""

    name: str = described("What it is for.")
    hint: str = described("How the key begins and ends, such as `wk_Ab3d...x7Qf`.")
    scopes: list[ApiKeyScope] = described("What it may be used for.")
    created_at: datetime = described("When it was made.")
    expires_at: datetime = described("When it stops working.")
    last_used_at: datetime | None = described("When it was last used, to the minute; null when it never was.")
    revoked_at: datetime | None = described("When it was revoked; null while it is not.")

    @classmethod
    def from_row(cls, row: accounts.ApiKey) -> "ApiKey":
        """Return a key as the API shows it."""
        return cls(
            id=strawberry.ID(row.id),
            name=row.name,
            hint=row.hint,
            scopes=[ApiKeyScope(scope) for scope in row.scopes],
            created_at=row.created_at,
            expires_at=row.expires_at,
            last_used_at=row.last_used_at,
            revoked_at=row.revoked_at,
        )
