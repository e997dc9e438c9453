"""Render a contact sheet of the built-in generator's clips: four frames of each, in one PNG.

Usage: python benchmarks/clip_sheet.py docs/images/clips.png
"""

import sys
import time
from pathlib import Path
from typing import Final

import numpy as np
from contact_sheet import made, pictures
from PIL import Image, ImageDraw, ImageFont

from domain.kinds import AssetType, task_kind
from domain.params import ParamsRequest, resolve_params
from domain.styles import Style
from worker.artifacts import GenerationRequest
from worker.imaging.pixels import encode_png
from worker.providers.builtin.film.render import render_film
from worker.video.read import read_frames

_SCENES: Final = (
    ("a red dragon flying over mountains", ""),
    ("a knight walking through the forest", ""),
    ("a slime hopping on a snowy night", ""),
    ("storm over the castle", ""),
    ("beach at sunset", ""),
    ("spaceship in space", ""),
    ("a ghost in a graveyard", "hand-painted"),
    ("cyberpunk city, pan left", "cartoon"),
)
_SIZE: Final = (512, 288)
_FRAMES: Final = 4
_SECONDS: Final = 3.0
_CELL: Final = (384, 216)
_TITLE: Final = 26
_GAP: Final = 4
_GROUND: Final = (38, 41, 52)
_TEXT: Final = (222, 224, 232)


def clip_of(subject: str, art: str, source: bytes | None = None) -> bytes:
    """Return the clip of a subject, or of a picture."""
    wanted = ParamsRequest(width=_SIZE[0], height=_SIZE[1], duration_seconds=_SECONDS)
    request = GenerationRequest(
        "tsk",
        AssetType.VIDEO,
        task_kind(AssetType.VIDEO, has_source_image=source is not None),
        subject,
        subject,
        "",
        Style(art_style=art),
        resolve_params(AssetType.VIDEO, wanted),
        3,
        source_image=source,
    )
    return render_film(request).clip or b""


def main(path: Path) -> None:
    """Write the contact sheet; says how long it took and how large it is."""
    started = time.process_time()
    shown = [(subject + (f", {art}" if art else ""), clip_of(subject, art)) for subject, art in _SCENES]
    forest = pictures(made(AssetType.BACKGROUND, "forest", art="hand-painted", width=640, height=360))[0]
    fox = pictures(made(AssetType.SPRITE, "fox"))[0]
    shown.append(("a picture, with depth", clip_of("look", "", encode_png(np.array(forest)))))
    shown.append(("a sprite, in the desert", clip_of("in the desert", "", encode_png(np.array(fox)))))
    sheet = Image.new("RGB", (_FRAMES * (_CELL[0] + _GAP) - _GAP, len(shown) * (_CELL[1] + _TITLE)), _GROUND)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(16)
    for row, (title, clip) in enumerate(shown):
        top = row * (_CELL[1] + _TITLE)
        draw.text((8, top + 4), title, fill=_TEXT, font=font)
        frames = list(read_frames(clip))
        for column in range(_FRAMES):
            frame = Image.fromarray(frames[round(column * (len(frames) - 1) / (_FRAMES - 1))])
            sheet.paste(frame.resize(_CELL, Image.Resampling.BOX), (column * (_CELL[0] + _GAP), top + _TITLE))
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.quantize(256, dither=Image.Dither.NONE).save(path, "PNG", optimize=True)
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB, {time.process_time() - started:.1f} s of processor time")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
