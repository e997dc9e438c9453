"""Seeds and the one branch of the pipeline: whether a round is good enough. Pure."""

import hashlib
from collections.abc import Sequence
from typing import Final

from domain.params import MAX_SEED
from worker.artifacts import Verdict

_SEEDS: Final = MAX_SEED + 1


def variation_seed(seed: int, variation: int) -> int:
    """Return the seed of the n-th picture of a request (from 0): consecutive, so each can be asked for by itself."""
    return (seed + variation) % _SEEDS


def round_seed(seed: int, round_number: int) -> int:
    """Return the seed of a round: the picture's own at first, then others that follow from it."""
    if round_number == 0:
        return seed
    digest = hashlib.sha256(f"{seed}:{round_number}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % _SEEDS


def failed_checks(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts below their threshold, in order."""
    return [verdict for verdict in verdicts if not verdict.passed]


def may_regenerate(failures: int, round_number: int, max_retries: int) -> bool:
    """Tell whether the pipeline goes back to the prompt: something failed, and rounds are left."""
    return failures > 0 and round_number < max_retries
