"""Signing messages, by Standard Webhooks 1.0.0 with symmetric secrets."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from standardwebhooks import Webhook


def signed_headers(message_id: str, body: str, at: datetime, secrets: Sequence[str]) -> Mapping[str, str]:
    """Return the headers of a message; `at` is when it is sent, in UTC, and each of the secrets signs it."""
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(Webhook(secret).sign(message_id, at, body) for secret in secrets),
    }
