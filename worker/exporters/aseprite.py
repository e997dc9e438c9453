"""Aseprite's JSON, after its `doc_exporter.cpp`, with the keys that Phaser's `createFromAseprite` asks for."""

from worker.exporters.json_atlas import frame_entry
from worker.exporters.sheet import Clip, Frame, Page, Sheet, Sidecar, json_bytes, page_suffix

#: The name by which readers recognise the form.
_APP = "http://www.aseprite.org/"


def aseprite(sheet: Sheet) -> tuple[Sidecar, ...]:
    """Return one JSON a page, each complete in itself: the form knows one image only.

    Keys are "0", "1", … in every page, because Phaser looks for exactly those; the tags say which animation they
    belong to. An animation that spills over two pages has a tag of the same name in both, each for its part.
    """
    return tuple(
        Sidecar(
            f"{sheet.stem}{page_suffix(number, sheet.pages)}.aseprite.json",
            "application/json",
            json_bytes(_page(sheet, number, page)),
            (page.image,),
        )
        for number, page in enumerate(sheet.pages)
    )


def _page(sheet: Sheet, number: int, page: Page) -> dict[str, object]:
    frames = sheet.on_page(number)
    return {
        "frames": {str(key): frame_entry(frame, sheet.pivot) for key, frame in enumerate(frames)},
        "meta": {
            "app": _APP,
            "version": "1.3",
            "image": page.image,
            "format": "RGBA8888",
            "size": {"w": page.width, "h": page.height},
            "scale": "1",
            "frameTags": _tags(sheet, number),
            "slices": [_pivot_slice(sheet), *_stretched(frames)],
        },
    }


def _tags(sheet: Sheet, number: int) -> list[dict[str, object]]:
    positions = [position for position, frame in enumerate(sheet.frames) if frame.page == number]
    keys = {position: key for key, position in enumerate(positions)}
    tags: list[dict[str, object]] = []
    for clip in sheet.clips:
        own = [keys[position] for position in clip.frames if position in keys]
        if own:
            # The frames of a clip stand together in sheet order, so those on one page do, too.
            tags.append({"name": clip.name, "from": own[0], "to": own[-1], **_direction(clip)})
    return tags


def _direction(clip: Clip) -> dict[str, object]:
    """Without `repeat` a tag loops. It counts single passes: forth and back once is 2."""
    direction: dict[str, object] = {"direction": "pingpong" if clip.ping_pong else "forward"}
    if not clip.loop:
        direction["repeat"] = "2" if clip.ping_pong else "1"
    return direction


def _stretched(frames: tuple[Frame, ...]) -> list[dict[str, object]]:
    """Return Aseprite's nine slices: bounds, and within them the middle that is stretched."""
    made: list[dict[str, object]] = []
    for number, frame in enumerate(frames):
        if frame.slices:
            (width, height), slices = frame.source_size, frame.slices
            key = {
                "frame": number,
                "bounds": {"x": 0, "y": 0, "w": width, "h": height},
                "center": {
                    "x": slices.left,
                    "y": slices.top,
                    "w": width - slices.left - slices.right,
                    "h": height - slices.top - slices.bottom,
                },
            }
            made.append({"name": frame.name, "color": "#0000ffff", "keys": [key]})
    return made


def _pivot_slice(sheet: Sheet) -> dict[str, object]:
    """Carry the pivot, in whole pixels of the untrimmed frame, the way Aseprite does."""
    width, height = sheet.frames[0].source_size
    key = {
        "frame": 0,
        "bounds": {"x": 0, "y": 0, "w": width, "h": height},
        "pivot": {"x": round(sheet.pivot[0] * width), "y": round(sheet.pivot[1] * height)},
    }
    return {"name": "pivot", "color": "#0000ffff", "keys": [key]}
