"""Finding the addresses of a host, on threads of its own: slow name servers must not hold up work with the disk."""

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Final

#: A thread waits for a dead name server for as long as the machine is told to, also when nobody waits for it any more.
_THREADS: Final = 32


class SystemResolver:
    """Asks the machine's resolver, as `domain.targets.Resolve`."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="resolver")
        #: Questions under way: one thread for each host, however many ask.
        self._asking: dict[tuple[str, int], asyncio.Future[list[str]]] = {}

    async def resolve(self, host: str, port: int) -> list[str]:
        """Return the addresses of a host, in the order in which they are to be tried; raises `OSError`."""
        key = (host, port)
        if key not in self._asking:
            self._asking[key] = asyncio.get_running_loop().run_in_executor(self._threads, _look_up, host, port)
            self._asking[key].add_done_callback(lambda _: self._asking.pop(key))
        try:
            # Others may wait for the same answer: who gives up leaves it to them, and to the next who asks.
            found = await asyncio.shield(self._asking[key])
        except UnicodeError as error:  # a label that the resolver's encoder does not take
            raise OSError(str(error)) from None
        return list(dict.fromkeys(found))

    def close(self) -> None:
        """Let the threads end; one that still waits for a name server is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _look_up(host: str, port: int) -> list[str]:
    return [str(address[0]) for *_, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
