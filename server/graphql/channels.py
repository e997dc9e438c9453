"""What stays open, sockets and answers that go on: how many there may be, and how they are ended from outside."""

import asyncio
from collections import Counter
from enum import Enum
from typing import Final, Protocol

from domain.accounts import Viewer
from domain.clock import Clock
from server.addresses import AddressCount

#: How long everything open may take to say goodbye when the server stops.
_CLOSING_SECONDS: Final = 2.0
#: Sockets that one user may have open in this process.
MAX_SOCKETS_PER_USER: Final = 50
#: Operations that one user, or one address that did not log in, may have running over everything that stays open.
MAX_STREAMS_PER_USER: Final = 100


class Ending(Enum):
    """Why the server ends something that is open; the value says it in a few words."""

    EXPIRED = "Token expired"
    REVOKED = "The session has ended"
    STOPPING = "The server stops"


class Channel(Protocol):
    """Something that stays open."""

    @property
    def viewer(self) -> Viewer | None:
        """Who it is authenticated for; None for anybody."""
        ...

    def end(self, ending: Ending) -> None:
        """Have it ended soon; does not wait."""
        ...


class OpenChannels:
    """Everything that is open in one process."""

    def __init__(self, addresses: AddressCount | None = None) -> None:
        self._addresses = addresses or AddressCount(0)
        self._open: set[Channel] = set()
        self._sockets: Counter[str] = Counter()
        self._streams: Counter[str] = Counter()
        self._stopping = False
        self._all_ended = asyncio.Event()

    @property
    def count(self) -> int:
        """How many are open."""
        return len(self._open)

    @property
    def streams(self) -> int:
        """How many operations are running over them."""
        return self._streams.total()

    @property
    def stopping(self) -> bool:
        """Whether the server stops: then nothing is to be opened."""
        return self._stopping

    def add(self, channel: Channel) -> None:
        """Note one as open; it is ended at once when the server began to stop meanwhile."""
        self._open.add(channel)
        if self._stopping:
            channel.end(Ending.STOPPING)

    def remove(self, channel: Channel) -> None:
        """Note one as ended."""
        self._open.discard(channel)
        if self._stopping and not self._open:
            self._all_ended.set()

    def claim_address(self, address: str) -> bool:
        """Count one more of an address, unless it has as many as it may."""
        return self._addresses.claim(address)

    def release_address(self, address: str) -> None:
        """Take back one claim."""
        self._addresses.release(address)

    def claim_socket(self, user_id: str) -> bool:
        """Count one more socket of a user, unless they have as many as they may."""
        return _claim(self._sockets, user_id, MAX_SOCKETS_PER_USER)

    def release_socket(self, user_id: str) -> None:
        """Take back one claim."""
        _release(self._sockets, user_id)

    def claim_stream(self, owner: str) -> bool:
        """Count one more running operation of a user or an address, unless they have as many as they may."""
        return _claim(self._streams, owner, MAX_STREAMS_PER_USER)

    def release_stream(self, owner: str) -> None:
        """Take back one claim."""
        _release(self._streams, owner)

    def close_session(self, session_id: str) -> None:
        """End everything of a session that is over."""
        for channel in self._open:
            if channel.viewer is not None and channel.viewer.session_id == session_id:
                channel.end(Ending.REVOKED)

    def sessions(self) -> set[str]:
        """Return the sessions, and API keys, of everything that is open."""
        return {channel.viewer.session_id for channel in self._open if channel.viewer is not None}

    async def close_all(self) -> None:
        """End everything because the server stops, and wait a little until it has ended."""
        self._stopping = True
        if not self._open:
            return
        for channel in self._open:
            channel.end(Ending.STOPPING)
        try:
            async with asyncio.timeout(_CLOSING_SECONDS):
                await self._all_ended.wait()
        except TimeoutError:
            pass  # uvicorn cuts what is left


async def end_with_token(channel: Channel, clock: Clock) -> None:
    """Wait until the token of a channel expires, then end it; returns at once for one of nobody."""
    if channel.viewer is not None:
        left = channel.viewer.expires_at - clock.now()
        await asyncio.sleep(max(left.total_seconds(), 0))
        channel.end(Ending.EXPIRED)


def _claim(counts: Counter[str], owner: str, limit: int) -> bool:
    if counts[owner] >= limit:
        return False
    counts[owner] += 1
    return True


def _release(counts: Counter[str], owner: str) -> None:
    counts[owner] -= 1
    if not counts[owner]:
        del counts[owner]
