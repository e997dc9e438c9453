"""The operator's workflows (API format), with named places for what changes from picture to picture."""

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from domain.errors import SettingsError

SlotName = Literal["prompt", "negative", "seed", "width", "height", "image"]
#: An input of a node: "6.text".
Place = Annotated[str, StringConstraints(pattern=r"^[^.\s]+\.[A-Za-z0-9_]+$")]


class WorkflowOptions(BaseModel):
    """One workflow: its file, and where in it what belongs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: Path
    #: Each name with one place or several.
    slots: dict[SlotName, Place | tuple[Place, ...]]
    #: The node whose pictures count; unless given, any that saves some.
    output: str = ""


class ComfyOptions(BaseModel):
    """`[provider.options]` of the type `comfyui`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text_to_image: WorkflowOptions
    image_to_image: WorkflowOptions | None = None
    #: Whether the workflow leaves the background out by itself.
    transparency: bool = False
    best_pixels: int = Field(1024 * 1024, ge=64 * 64, le=4096 * 4096)
    #: How often a job is asked about.
    check_seconds: float = Field(2.0, ge=0.2, le=120)


_NEEDED: Final[Mapping[str, tuple[SlotName, ...]]] = {
    "text_to_image": ("prompt", "seed"),
    "image_to_image": ("prompt", "seed", "image"),
}


@dataclass(frozen=True, slots=True)
class Workflow:
    """A graph and its places, which are known to be there."""

    graph: Mapping[str, Any]
    slots: Mapping[SlotName, tuple[tuple[str, str], ...]]
    output: str

    def filled(self, values: Mapping[SlotName, str | int]) -> dict[str, Any]:
        """Return the graph with the values in their places; values without a place are left out."""
        graph = copy.deepcopy(dict(self.graph))
        for name, value in values.items():
            for node, field in self.slots.get(name, ()):
                graph[node]["inputs"][field] = value
        return graph


def load_workflow(provider: str, kind: str, options: WorkflowOptions) -> Workflow:
    """Read a workflow; raises `SettingsError` that names the provider and what does not fit."""
    where = f"provider {provider}, options.{kind}"
    try:
        graph = json.loads(options.file.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(f"{where}.file: {options.file} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise SettingsError(f"{where}.file: {options.file} is not JSON.") from None
    if not isinstance(graph, dict) or not all(
        isinstance(node, dict) and "class_type" in node for node in graph.values()
    ):
        raise SettingsError(f"{where}.file: this is no workflow in API format; save it with Export (API).")
    slots: dict[SlotName, tuple[tuple[str, str], ...]] = {}
    for name, places in options.slots.items():
        pairs = [place.partition(".")[::2] for place in ((places,) if isinstance(places, str) else places)]
        for node, field in pairs:
            if field not in graph.get(node, {}).get("inputs", {}):
                raise SettingsError(f"{where}.slots.{name}: the workflow has no input {node}.{field}.")
        slots[name] = tuple((node, field) for node, field in pairs)
    for needed in _NEEDED[kind]:
        if not slots.get(needed):
            raise SettingsError(f"{where}.slots.{needed}: is missing.")
    if options.output and options.output not in graph:
        raise SettingsError(f"{where}.output: the workflow has no node {options.output}.")
    return Workflow(graph, slots, options.output)
