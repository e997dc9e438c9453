"""What administrators did, kept with the change itself."""

from datetime import datetime

from domain.ids import IdPrefix, new_id
from domain.models.operations import AuditEntry


async def record_action(
    user_id: str, action: str, now: datetime, *, target: str | None = None, **details: object
) -> None:
    """Write an entry; inside the transaction of the change where there is one. `details` are JSON, without secrets."""
    await AuditEntry.create(
        id=new_id(IdPrefix.AUDIT_ENTRY), user_id=user_id, action=action, target=target, details=details, at=now
    )
