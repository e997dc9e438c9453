"""Finding the addresses of a host, on threads of its own: slow name servers must not hold up work with the disk."""

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Final

_THREADS: Final = 8


class SystemResolver:
    """Asks the machine's resolver, as `domain.targets.Resolve`."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="resolver")

    async def resolve(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host, in the order in which they are to be tried; raises `OSError`."""
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._threads, _look_up, host, port)
        except UnicodeError as error:  # a label that the resolver's encoder does not take
            raise OSError(str(error)) from None
        return list(dict.fromkeys(found))

    def close(self) -> None:
        """Let the threads end; one that still waits for a name server is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _look_up(host: str, port: int) -> list[str]:
    return [str(address[0]) for *_, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
