"""What an exporter writes down: the pages, frames and animations of a sheet. Numbers and names only, no pixels."""

import colorsys
import json
from collections.abc import Mapping, Sized
from dataclasses import dataclass, field

from worker.exporters.packing import Grid, Rect
from worker.imaging.nine_slice import NineSlice


@dataclass(frozen=True, slots=True)
class Page:
    """One image of the sheet; `image` is its file name, width and height are pixels."""

    image: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame or tile; lengths are pixels from the top left."""

    #: Unique within the sheet.
    name: str
    page: int
    #: Its picture on the page, without the extruded ring.
    rect: Rect
    #: (width, height) before trimming.
    source_size: tuple[int, int]
    #: (left, top) of the rect's picture within the untrimmed frame.
    offset: tuple[int, int] = (0, 0)
    duration_ms: int = 100
    animation: str | None = None
    #: Place within its animation, or of the tile within its tileset.
    index: int = 0
    #: Of a part of an interface: what keeps its size when it is stretched.
    slices: NineSlice | None = None

    @property
    def trimmed(self) -> bool:
        """Tell whether transparent edges were cut off."""
        return self.source_size != (self.rect.width, self.rect.height)


@dataclass(frozen=True, slots=True)
class Clip:
    """One animation: `frames` are positions in the sheet's list of frames, each drawn once."""

    name: str
    frames: tuple[int, ...]
    fps: int = 8
    loop: bool = True
    ping_pong: bool = False

    @property
    def playback(self) -> tuple[int, ...]:
        """Return the frames in the order they are seen, forth and back written out.

        The end frames are not repeated: 1 2 3 2, which a loop continues with 1; without a loop the way back
        ends on the first frame: 1 2 3 2 1.
        """
        if not self.ping_pong or len(self.frames) == 1:
            return self.frames
        back = self.frames[-2:0:-1] if self.loop else self.frames[-2::-1]
        return (*self.frames, *back)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A packed sheet, as the exporters of all formats read it."""

    #: File name without extension that sidecars build theirs from.
    stem: str
    pages: tuple[Page, ...]
    frames: tuple[Frame, ...]
    clips: tuple[Clip, ...] = ()
    #: Of the untrimmed frame, 0 to 1 from the top left.
    pivot: tuple[float, float] = (0.5, 0.5)
    #: What stable ids are derived from: the same task and file name give the same ids.
    identity: str = ""
    #: Name of the program, for formats that tell it; empty to tell none.
    app: str = ""

    def on_page(self, page: int) -> tuple[Frame, ...]:
        """Return the frames of one page in sheet order."""
        return tuple(frame for frame in self.frames if frame.page == page)

    def whole_on(self, clip: Clip, page: int) -> bool:
        """Tell whether every frame of an animation lies on one page."""
        return all(self.frames[position].page == page for position in clip.frames)


@dataclass(frozen=True, slots=True)
class Terrains:
    """Which terrain each corner of each tile shows, for engines that paint with terrains."""

    names: tuple[str, ...]
    #: By tile index: terrain numbers of the corners top left, top right, bottom left, bottom right; -1 for none.
    corners: Mapping[int, tuple[int, int, int, int]]
    #: By tile index, of tiles that are told apart by edges too: terrain numbers at top, right, bottom and left.
    edges: Mapping[int, tuple[int, int, int, int]] = field(default_factory=dict)

    def color(self, number: int) -> tuple[int, int, int]:
        """Return the (red, green, blue) by which editors mark a terrain: the golden angle apart in hue."""
        red, green, blue = colorsys.hsv_to_rgb(number * 0.618034 % 1, 0.65, 0.9)
        return round(red * 255), round(green * 255), round(blue * 255)


@dataclass(frozen=True, slots=True)
class Tileset:
    """A sheet of equal tiles in rows: frame n is tile n."""

    sheet: Sheet
    tile_size: int
    grid: Grid
    terrains: Terrains | None = None

    @property
    def page(self) -> Page:
        """Return the tileset's only image."""
        return self.sheet.pages[0]


@dataclass(frozen=True, slots=True)
class Sidecar:
    """A text file beside the image."""

    name: str
    media_type: str
    data: bytes
    #: File names of the images it describes.
    images: tuple[str, ...] = field(default=())


def json_bytes(value: object) -> bytes:
    """Return readable JSON in UTF-8; keys keep their order."""
    return (json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def page_suffix(page: int, pages: Sized) -> str:
    """Return what a file name says of its page: nothing when there is only one."""
    return f"-page{page + 1}" if len(pages) > 1 else ""
