"""Where frames lie on sheet pages: a grid for equal frames, MaxRects by the best of some strategies for others.

Pure and deterministic: the same sizes give the same layout. All lengths are pixels, y grows downwards. The cell of a
frame is the frame with `extrude` pixels around it; cells are at least `padding` pixels apart, and a page's edge needs
no padding.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worker.exporters.maxrects import Strategy, pack_bin


class SheetTooSmall(ValueError):
    """A frame does not fit a page of the largest size allowed; the message is for people."""


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle; the corner is its top left one."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """First column to the right of it."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """First row below it."""
        return self.y + self.height


@dataclass(frozen=True, slots=True)
class Rules:
    """What a layout has to keep."""

    padding: int = 0
    extrude: int = 0
    power_of_two: bool = False
    #: Largest width and height of a page.
    max_size: int = 4096


@dataclass(frozen=True, slots=True)
class Place:
    """Where one frame lies: the inner rectangle, without the extruded ring."""

    page: int
    rect: Rect


@dataclass(frozen=True, slots=True)
class Grid:
    """Equal cells in rows: what engines that cut a sheet by numbers need."""

    columns: int
    rows: int
    margin: int
    spacing: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The places of all frames in the order they were given, and the (width, height) of every page."""

    places: tuple[Place, ...]
    pages: tuple[tuple[int, int], ...]
    #: Set when every page is cut the same way.
    grid: Grid | None = None


@dataclass(frozen=True, slots=True)
class _Page:
    width: int
    height: int
    rects: tuple[Rect, ...]
    grid: Grid | None = None


def pack(sizes: Sequence[tuple[int, int]], rules: Rules, groups: Sequence[int] | None = None) -> Layout:
    """Lay out frames of the given (width, height), on several pages when one of `max_size` is not enough.

    `groups` holds one number per frame; frames with the same number, which stand together (those of one animation),
    share a page unless they fill more than one. Raises `SheetTooSmall` when a single frame does not fit,
    `ValueError` for no frames or one without area.
    """
    if not sizes:
        raise ValueError("A sheet needs at least one frame.")
    if min(min(size) for size in sizes) < 1:
        raise ValueError("A frame without area cannot be packed.")
    pages: list[_Page] = []
    start = 0
    while start < len(sizes):
        start, page = _next_page(sizes, start, rules, groups or [0] * len(sizes))
        pages.append(page)
    places = tuple(Place(number, rect) for number, page in enumerate(pages) for rect in page.rects)
    grid = pages[0].grid if len(pages) == 1 else None
    return Layout(places, tuple((page.width, page.height) for page in pages), grid)


def largest_side(rules: Rules) -> int:
    """Return the longest side a page may have: `max_size`, or the power of two below it when sides must be such."""
    return 1 << (rules.max_size.bit_length() - 1) if rules.power_of_two else rules.max_size


def round_up(side: int, rules: Rules) -> int:
    """Return the side a page needs so as to hold `side` pixels."""
    return 1 << (side - 1).bit_length() if rules.power_of_two else side


def _next_page(sizes: Sequence[tuple[int, int]], start: int, rules: Rules, groups: Sequence[int]) -> tuple[int, _Page]:
    """Return the end of the run of frames that fills the next page, and the page."""
    whole = _one_page(sizes[start:], rules)
    if whole:
        return len(sizes), whole
    best: tuple[int, _Page] | None = None
    for end in _group_ends(groups, start):
        page = _one_page(sizes[start:end], rules)
        if page is None:
            break
        best = end, page
    return best or _longest_run(sizes, start, rules)


def _group_ends(groups: Sequence[int], start: int) -> list[int]:
    return [end for end in range(start + 1, len(groups)) if groups[end] != groups[end - 1]]


def _longest_run(sizes: Sequence[tuple[int, int]], start: int, rules: Rules) -> tuple[int, _Page]:
    """Fill a page with as many frames in a row as bisection finds to fit."""
    low, high = start, len(sizes)
    best: _Page | None = None
    while high - low > 1:
        middle = (low + high) // 2
        page = _one_page(sizes[start:middle], rules)
        if page is None:
            high = middle
        else:
            low, best = middle, page
    if best is None:
        raise too_small(*sizes[start], rules)
    return low, best


def too_small(width: int, height: int, rules: Rules) -> SheetTooSmall:
    """Return the error that says why a frame or a tileset of this size, rings included, has no place."""
    limit = largest_side(rules)
    ring = f" with {rules.extrude} pixels around" if rules.extrude else ""
    return SheetTooSmall(
        f"{width} x {height} pixels{ring} do not fit a sheet of at most {limit} x {limit}: raise maxSheetSize, or ask "
        "for smaller pictures."
    )


def _one_page(sizes: Sequence[tuple[int, int]], rules: Rules) -> _Page | None:
    """Lay frames out on the smallest page found, or return None when the largest one cannot hold them."""
    if len(set(sizes)) == 1:
        return _grid_page(len(sizes), *sizes[0], rules)
    return _free_page(sizes, rules)


def _grid_page(count: int, width: int, height: int, rules: Rules) -> _Page | None:
    margin, spacing = rules.extrude, 2 * rules.extrude + rules.padding
    limit = largest_side(rules)

    def sides(columns: int) -> tuple[int, int]:
        rows = -(-count // columns)
        return (
            round_up(2 * margin + columns * width + (columns - 1) * spacing, rules),
            round_up(2 * margin + rows * height + (rows - 1) * spacing, rules),
        )

    # Shape counts before the last empty cell: 17 frames are better off on 6 x 3 than in one row of 17.
    options = [(_cost(*size), columns) for columns in range(1, count + 1) if max(size := sides(columns)) <= limit]
    if not options:
        return None
    columns = min(options)[1]
    rects = tuple(
        Rect(
            margin + (number % columns) * (width + spacing),
            margin + (number // columns) * (height + spacing),
            width,
            height,
        )
        for number in range(count)
    )
    return _Page(*sides(columns), rects, Grid(columns, -(-count // columns), margin, spacing))


def _cost(width: int, height: int) -> tuple[float, int, int]:
    """Order page sizes: small ones first, where a page longer than twice its breadth counts as larger than it is."""
    stretch = max(width, height) / min(width, height)
    return width * height * max(1.0, stretch / 2), max(width, height), height


def _free_page(sizes: Sequence[tuple[int, int]], rules: Rules) -> _Page | None:
    gap = 2 * rules.extrude + rules.padding
    load = _Load(sizes, [(width + gap, height + gap) for width, height in sizes], rules)
    page = None if rules.power_of_two else _shelves(load)
    if page is None:
        pages = (load.page(width, height) for width, height in _bins(load.cells, rules))
        return next((page for page in pages if page is not None), None)
    return _tightened(page, load)


@dataclass(frozen=True, slots=True)
class _Load:
    """Frames to place, and the cells that they take up."""

    sizes: Sequence[tuple[int, int]]
    cells: Sequence[tuple[int, int]]
    rules: Rules

    def page(self, width: int, height: int, strategy: Strategy = Strategy.LONG_SIDES) -> _Page | None:
        """Lay the cells out on a page of at most this size, and cut off what is left of it."""
        rules = self.rules
        # The last cell of a row needs no padding after it.
        corners = pack_bin(self.cells, width + rules.padding, height + rules.padding, strategy)
        if corners is None:
            return None
        rects = tuple(
            Rect(x + rules.extrude, y + rules.extrude, *size) for (x, y), size in zip(corners, self.sizes, strict=True)
        )
        return _Page(
            round_up(max(rect.right for rect in rects) + rules.extrude, rules),
            round_up(max(rect.bottom for rect in rects) + rules.extrude, rules),
            rects,
        )


#: Shapes of pages that are tried: their widths as shares of a square's side.
_SHELF_SHAPES = (1.0, 0.93, 1.07)
_SHAPES = (1.0, 0.88, 1.13)
#: More frames leave less to gain and take longer: beyond so many only a square is tried beside shelves.
_FEW = 100


def _shelves(load: _Load) -> _Page | None:
    """Return the smallest page of shelves, each as high as it needs to be; None when no page may be so high."""
    limit = largest_side(load.rules)
    least = max(width for width, _ in load.cells) - load.rules.padding
    area = sum(width * height for width, height in load.cells)
    best: _Page | None = None
    for shape in _SHELF_SHAPES:
        page = load.page(min(limit, max(least, round(area**0.5 * shape))), limit, Strategy.SHELVES)
        best = page if best is None else _smaller(best, page)
    return best


def _tightened(page: _Page, load: _Load) -> _Page:
    """Return a page that is smaller than the one given, if one is found."""
    limit = largest_side(load.rules)
    least = max(width for width, _ in load.cells) - load.rules.padding
    few = len(load.sizes) <= _FEW
    for shape in _SHAPES if few else _SHAPES[:1]:
        for strategy in (Strategy.LONG_SIDES, Strategy.OUTLINES) if few else (Strategy.LONG_SIDES,):
            most = page.width * page.height - 1
            width = min(limit, max(least, round(most**0.5 * shape)))
            page = _smaller(page, load.page(width, min(limit, most // width), strategy))
    return page


def _smaller(page: _Page, other: _Page | None) -> _Page:
    if other is None or _cost(other.width, other.height) >= _cost(page.width, page.height):
        return page
    return other


#: Areas tried, as multiples of that of all cells. The first that holds them is taken; each costs one run of the packer.
_SLACK = (1.05, 1.08, 1.11, 1.15, 1.2, 1.3, 1.5)


def _bins(cells: Sequence[tuple[int, int]], rules: Rules) -> Iterator[tuple[int, int]]:
    """Yield the (width, height) of pages to try, small ones first; the last is the largest allowed."""
    limit = largest_side(rules)
    area = sum(width * height for width, height in cells)
    least_width = max(width for width, _ in cells) - rules.padding
    least_height = max(height for _, height in cells) - rules.padding
    if rules.power_of_two:
        sides = [1 << bits for bits in range(limit.bit_length())]
        pairs = [(w, h) for w in sides if w >= least_width for h in sides if h >= least_height]
        yield from sorted((pair for pair in pairs if _room(pair, rules) >= area), key=lambda pair: _cost(*pair))
        return
    if _room((limit, limit), rules) < area:
        return
    for slack in _SLACK:
        width = min(limit, max(least_width, round((area * slack) ** 0.5)))
        yield width, min(limit, max(least_height, round(area * slack / width)))
    yield limit, limit


def _room(page: tuple[int, int], rules: Rules) -> int:
    return (page[0] + rules.padding) * (page[1] + rules.padding)
