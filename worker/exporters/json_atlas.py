"""TexturePacker's two JSON forms, as PixiJS 8 and Phaser 3 read them.

`rotated` is always false (Phaser 3 and Godot cannot draw turned frames) and `frame` is the inner rectangle, without the
extruded ring. `pivot` is read by Phaser, `anchor` by PixiJS; both refer to the untrimmed frame. `duration` (ms) is an
addition that both pass over.
"""

from worker.exporters.sheet import Frame, Page, Sheet, Sidecar, json_bytes, page_suffix
from worker.imaging.nine_slice import NineSlice

_FORMAT = "RGBA8888"
_MEDIA_TYPE = "application/json"


def json_hash(sheet: Sheet) -> tuple[Sidecar, ...]:
    """Return one JSON a page: an object of frames by name, and PixiJS's `animations`.

    Several pages name each other in `related_multi_packs`. PixiJS looks an animation's frames up in its own page
    only, so an animation that spills over two pages is left out of `animations`.
    """
    names = [f"{sheet.stem}{page_suffix(page, sheet.pages)}.json" for page in range(len(sheet.pages))]
    return tuple(
        Sidecar(name, _MEDIA_TYPE, json_bytes(_hash_page(sheet, number, names)), (sheet.pages[number].image,))
        for number, name in enumerate(names)
    )


def json_array(sheet: Sheet) -> tuple[Sidecar, ...]:
    """Return one JSON with a list of frames; several pages take the form of Phaser's multi-atlas (`textures`)."""
    content: dict[str, object]
    if len(sheet.pages) == 1:
        content = {"frames": _list(sheet, 0), "meta": {**_about(sheet), **_image(sheet.pages[0])}}
    else:
        content = {
            "textures": [{**_image(page), "frames": _list(sheet, number)} for number, page in enumerate(sheet.pages)],
            "meta": _about(sheet),
        }
    images = tuple(page.image for page in sheet.pages)
    return (Sidecar(f"{sheet.stem}.array.json", _MEDIA_TYPE, json_bytes(content), images),)


def frame_entry(frame: Frame, pivot: tuple[float, float]) -> dict[str, object]:
    """Return what the JSON forms, Aseprite's included, say of one frame."""
    rect, (left, top) = frame.rect, frame.offset
    width, height = frame.source_size
    point = {"x": pivot[0], "y": pivot[1]}
    return {
        "frame": {"x": rect.x, "y": rect.y, "w": rect.width, "h": rect.height},
        "rotated": False,
        "trimmed": frame.trimmed,
        "spriteSourceSize": {"x": left, "y": top, "w": rect.width, "h": rect.height},
        "sourceSize": {"w": width, "h": height},
        "pivot": point,
        "anchor": point,
        "duration": frame.duration_ms,
        **(_stretched(frame, frame.slices) if frame.slices else {}),
    }


def _stretched(frame: Frame, slices: NineSlice) -> dict[str, object]:
    """Return the nine slices as PixiJS (borders) and as Phaser (the middle's rectangle) read them."""
    width, height = frame.source_size
    middle = {
        "x": slices.left,
        "y": slices.top,
        "w": width - slices.left - slices.right,
        "h": height - slices.top - slices.bottom,
    }
    return {"borders": slices.to_json(), "scale9Borders": middle}


def _hash_page(sheet: Sheet, page: int, names: list[str]) -> dict[str, object]:
    content: dict[str, object] = {
        "frames": {frame.name: frame_entry(frame, sheet.pivot) for frame in sheet.on_page(page)},
    }
    animations = {
        clip.name: [sheet.frames[position].name for position in clip.playback]
        for clip in sheet.clips
        if sheet.whole_on(clip, page)
    }
    if animations:
        content["animations"] = animations
    meta = {**_about(sheet), **_image(sheet.pages[page])}
    if len(names) > 1:
        meta["related_multi_packs"] = [name for name in names if name != names[page]]
    return {**content, "meta": meta}


def _list(sheet: Sheet, page: int) -> list[dict[str, object]]:
    return [{"filename": frame.name, **frame_entry(frame, sheet.pivot)} for frame in sheet.on_page(page)]


def _image(page: Page) -> dict[str, object]:
    return {
        "image": page.image,
        "format": _FORMAT,
        "size": {"w": page.width, "h": page.height},
        # A string, as TexturePacker writes it; readers divide by it.
        "scale": "1",
    }


def _about(sheet: Sheet) -> dict[str, object]:
    return {"app": sheet.app, "version": "1.0"} if sheet.app else {"version": "1.0"}
