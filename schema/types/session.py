"""Log-ins."""

from datetime import datetime

import strawberry

from domain.accounts import Viewer
from domain.models import accounts
from schema.declare import described, output
from schema.node import Node


@output
class Session(Node):
    """One log-in, somewhere."""

    created_at: datetime = described("When somebody logged in.")
    last_used_at: datetime | None = described("When its tokens were last refreshed, which clients do while in use.")
    expires_at: datetime = described("When it ends unless it is used before.")
    user_agent: str | None = described("What the client that logged in calls itself.")
    current: bool = described("Whether this is the session that asks.")

    @classmethod
    def from_row(cls, row: accounts.Session, viewer: Viewer) -> "Session":
        """Return a session as the API shows it to a viewer."""
        return cls(
            id=strawberry.ID(row.id),
            created_at=row.created_at,
            last_used_at=row.last_used_at,
            expires_at=row.expires_at,
            user_agent=row.user_agent,
            current=row.id == viewer.session_id,
        )
