"""Repeatable chance: every choice has a name, and name and seed decide it, on every machine alike."""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")


class Chance:
    """Choices that depend on the text and the seed only, never on the order in which they are asked for."""

    def __init__(self, *parts: object) -> None:
        self._key = "\x1f".join(str(part) for part in parts).encode("utf-8", "surrogatepass")

    def _number(self, name: str) -> int:
        digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), key=hashlib.sha256(self._key).digest())
        return int.from_bytes(digest.digest()[:8], "big")

    def unit(self, name: str) -> float:
        """Return a number from 0 up to, but not including, 1."""
        return (self._number(name) >> 11) / (1 << 53)

    def between(self, name: str, low: float, high: float) -> float:
        """Return a number from low to high."""
        return low + (high - low) * self.unit(name)

    def whole(self, name: str, low: int, high: int) -> int:
        """Return a whole number from low to high, both included."""
        return low + self._number(name) % (high - low + 1)

    def pick(self, name: str, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[self._number(name) % len(options)]

    def chance(self, name: str, probability: float) -> bool:
        """Return True with the given probability."""
        return self.unit(name) < probability

    def generator(self, name: str) -> np.random.Generator:
        """Return a stream of random numbers of its own."""
        return np.random.Generator(np.random.PCG64(self._number(name)))
