"""Addresses at which a provider tells that a job has ended: each is of one job and cannot be guessed."""

import base64
import hashlib
import hmac
from dataclasses import dataclass
from typing import Final

PATH: Final = "/callbacks/"
#: Keeps these signatures apart from any other use of the same key.
_PURPOSE: Final = b"wonder callback 1"


@dataclass(frozen=True, slots=True)
class CallbackAddresses:
    """Makes and checks them; `public_url` is where the server is reached, without a slash at its end."""

    key: bytes
    public_url: str

    def url(self, provider: str, job_id: str) -> str:
        """Return the address to give away with a job. The token is in the query, which is not logged."""
        return f"{self.public_url}{PATH}{provider}/{job_id}?token={self._token(provider, job_id)}"

    def is_genuine(self, provider: str, job_id: str, token: str) -> bool:
        """Tell in constant time whether the token is the one that was given away with this job."""
        return hmac.compare_digest(self._token(provider, job_id).encode(), token.encode("utf-8", "replace"))

    def _token(self, provider: str, job_id: str) -> str:
        said = b"\0".join((_PURPOSE, provider.encode("utf-8", "replace"), job_id.encode("utf-8", "replace")))
        return base64.urlsafe_b64encode(hmac.digest(self.key, said, hashlib.sha256)).decode().rstrip("=")
