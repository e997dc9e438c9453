"""Where a webhook may point.

An address is judged when it is set, so that people learn of it, and again by the numbers that are connected to.
"""

import asyncio
from typing import Final

from domain.errors import InvalidInput
from domain.targets import Resolve, TargetRefused, allowed_addresses, parse_target

_RESOLVE_SECONDS: Final = 5


async def checked_url(url: str, resolve: Resolve, *, private: bool) -> str:
    """Return a URL that a webhook may have; raises `InvalidInput` for the input field `url`."""
    try:
        target = parse_target(url)
        if not private:
            async with asyncio.timeout(_RESOLVE_SECONDS):
                await allowed_addresses(target, resolve, private=False)
    except TargetRefused as refused:
        raise InvalidInput(str(refused), path=("input", "url")) from None
    except TimeoutError:
        raise InvalidInput("The host could not be found in time. Try again later.", path=("input", "url")) from None
    return url
