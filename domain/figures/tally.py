"""Numbers of endings and their durations, in a size that does not grow with how many there are.

Durations are counted in buckets whose bounds grow by a constant factor, as in DDSketch (Masson, Rim, Lee: "DDSketch: a
fast and fully-mergeable quantile sketch with relative-error guarantees", VLDB 2019). Any quantile is then known to
within RELATIVE_ERROR; counts and means are exact. Tallies can be added up, and an ending can be taken back.
"""

import json
import math
from dataclasses import dataclass, field
from typing import Any, Final

from domain.lifecycle import TERMINAL, TaskStatus

#: How far a quantile may be from the duration at its rank.
RELATIVE_ERROR: Final = 0.025
#: What takes less counts as this long.
SHORTEST_SECONDS: Final = 0.001
_FACTOR: Final = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR)
_LOG_FACTOR: Final = math.log(_FACTOR)


def bucket_of(seconds: float) -> int:
    """Return the number of the bucket that holds a duration: bucket n ends at factor to the power of n."""
    return math.ceil(math.log(max(seconds, SHORTEST_SECONDS)) / _LOG_FACTOR)


def seconds_of(bucket: int) -> float:
    """Return the duration that is at most RELATIVE_ERROR away from every one in the bucket."""
    return float(2 * _FACTOR**bucket / (_FACTOR + 1))


@dataclass(slots=True)
class Durations:
    """A histogram of durations with their exact number and sum."""

    count: int = 0
    total_seconds: float = 0.0
    buckets: dict[int, int] = field(default_factory=dict)

    @property
    def mean(self) -> float | None:
        """The mean in seconds; None when there are none."""
        return max(self.total_seconds / self.count, 0.0) if self.count > 0 else None

    def quantile(self, share: float) -> float | None:
        """Return the duration in seconds that a share (0 to 1) does not exceed, by nearest rank; None without any."""
        if self.count <= 1:
            return self.mean
        rank, passed, found = max(1, math.ceil(share * self.count)), 0, None
        for bucket in sorted(bucket for bucket, number in self.buckets.items() if number > 0):
            passed, found = passed + self.buckets[bucket], seconds_of(bucket)
            if passed >= rank:
                break
        return found

    def add(self, seconds: float, number: int = 1) -> None:
        """Count a duration so many times; a negative number takes it back."""
        self.count += number
        self.total_seconds += number * seconds
        bucket = bucket_of(seconds)
        self.buckets[bucket] = self.buckets.get(bucket, 0) + number

    def merge(self, other: "Durations") -> None:
        """Count everything that the other one counts, too."""
        self.count += other.count
        self.total_seconds += other.total_seconds
        for bucket, number in other.buckets.items():
            self.buckets[bucket] = self.buckets.get(bucket, 0) + number

    def to_json(self) -> list[Any]:
        """Return number, sum and the buckets that hold something."""
        return [self.count, self.total_seconds, {str(key): number for key, number in self.buckets.items() if number}]

    @classmethod
    def from_json(cls, value: list[Any]) -> "Durations":
        """Return what `to_json` wrote."""
        count, total_seconds, buckets = value
        return cls(count, total_seconds, {int(key): number for key, number in buckets.items()})


@dataclass(slots=True)
class Tally:
    """Endings by status, durations of the work of those that completed, and durations of waiting before the work."""

    ended: dict[TaskStatus, int] = field(default_factory=lambda: dict.fromkeys(sorted(TERMINAL), 0))
    run: Durations = field(default_factory=Durations)
    wait: Durations = field(default_factory=Durations)

    @property
    def finished(self) -> int:
        """How many ended, in whatever way."""
        return sum(max(number, 0) for number in self.ended.values())

    @property
    def success_rate(self) -> float | None:
        """Completed of finished; None when nothing finished."""
        return max(self.ended[TaskStatus.COMPLETED], 0) / self.finished if self.finished else None

    def add(self, status: TaskStatus, number: int, run_seconds: float | None, wait_seconds: float | None) -> None:
        """Count an ending so many times; a negative number takes it back."""
        self.ended[status] += number
        if run_seconds is not None:
            self.run.add(run_seconds, number)
        if wait_seconds is not None:
            self.wait.add(wait_seconds, number)

    def merge(self, other: "Tally") -> None:
        """Count everything that the other one counts, too."""
        for status, number in other.ended.items():
            self.ended[status] += number
        self.run.merge(other.run)
        self.wait.merge(other.wait)

    def to_text(self) -> str:
        """Return the tally as `from_text` reads it."""
        ended = {status.value: number for status, number in self.ended.items() if number}
        return json.dumps({"ended": ended, "run": self.run.to_json(), "wait": self.wait.to_json()})

    @classmethod
    def from_text(cls, text: str) -> "Tally":
        """Return what `to_text` wrote."""
        value = json.loads(text)
        tally = cls(run=Durations.from_json(value["run"]), wait=Durations.from_json(value["wait"]))
        tally.ended.update({TaskStatus(status): number for status, number in value["ended"].items()})
        return tally
