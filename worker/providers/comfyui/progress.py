"""How far ComfyUI is with a prompt, from what its socket tells of nodes. Pure.

Messages as recorded from ComfyUI 0.3.64: `execution_cached` and `executing` name nodes, `progress` counts the steps of
the one at work, and `progress_state` has all of it at once.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

#: Steps of a sampler take the time; whatever else a graph does takes about one of them.
_SAMPLER_WEIGHT: Final = 20.0
#: Until the history has the result, it is not done.
_ALMOST: Final = 0.99


class GraphProgress:
    """One prompt: its nodes, and how much of each is done. What it says never falls."""

    def __init__(self, graph: Mapping[str, Any]) -> None:
        self._weights = {node: _weight(entry) for node, entry in graph.items()}
        self._done: dict[str, float] = {}
        self._current: str | None = None
        self._share = 0.0

    @property
    def share(self) -> float:
        """The share that is done, 0 to just below 1."""
        return self._share

    def hear(self, kind: str, data: Mapping[str, Any]) -> None:
        """Take one message about this prompt; what it does not know, or cannot read, changes nothing."""
        match kind:
            case "execution_cached":
                self._finish(_names(data.get("nodes")))
            case "executing":
                self._begin(data.get("node"))
            case "executed":
                self._finish(_names([data.get("node")]))
            case "progress":
                self._note(data.get("node"), data)
            case "progress_state":
                self._note_all(data.get("nodes"))
            case _:
                return
        known = sum(self._weights[node] * part for node, part in self._done.items())
        total = sum(self._weights.values())
        self._share = max(self._share, min(known / total, _ALMOST) if total else 0.0)

    def _begin(self, node: object) -> None:
        if self._current is not None:
            self._finish([self._current])
        self._current = node if isinstance(node, str) else None

    def _finish(self, nodes: Iterable[str]) -> None:
        self._done.update((node, 1.0) for node in nodes if node in self._weights)

    def _note(self, node: object, data: Mapping[str, Any]) -> None:
        value, most = _number(data.get("value")), _number(data.get("max"))
        if isinstance(node, str) and node in self._weights and most > 0:
            self._done[node] = max(self._done.get(node, 0.0), min(max(value / most, 0.0), 1.0))

    def _note_all(self, nodes: object) -> None:
        for node, state in nodes.items() if isinstance(nodes, Mapping) else ():
            if isinstance(state, Mapping):
                self._note(node, state)
                if state.get("state") == "finished":
                    self._finish([node])


def _weight(entry: object) -> float:
    kind = entry.get("class_type") if isinstance(entry, Mapping) else None
    return _SAMPLER_WEIGHT if "sampler" in str(kind).lower() else 1.0


def _names(nodes: object) -> list[str]:
    return [node for node in nodes if isinstance(node, str)] if isinstance(nodes, list) else []


def _number(value: object) -> float:
    """Return a number, 0 for what is none."""
    try:
        number = float(value) if isinstance(value, int | float) else 0.0
    except OverflowError:  # JSON's integers have no end
        return 0.0
    return number if math.isfinite(number) else 0.0
