import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.exporters.maxrects import pack_bin
from worker.exporters.packing import Layout, Rect, Rules, SheetTooSmall, pack

sizes = st.lists(st.tuples(st.integers(1, 56), st.integers(1, 56)), min_size=1, max_size=40)
rules = st.builds(
    Rules,
    padding=st.integers(0, 6),
    extrude=st.integers(0, 4),
    power_of_two=st.booleans(),
    max_size=st.integers(70, 400),
)


def gap(one: Rect, other: Rect) -> int:
    """Pixels between two rectangles; negative when they overlap."""
    return max(one.x - other.right, other.x - one.right, one.y - other.bottom, other.y - one.bottom)


def check(layout: Layout, frames: list[tuple[int, int]], rule: Rules) -> None:
    assert [(place.rect.width, place.rect.height) for place in layout.places] == frames
    for place in layout.places:
        width, height = layout.pages[place.page]
        assert place.rect.x >= rule.extrude
        assert place.rect.y >= rule.extrude
        assert place.rect.right + rule.extrude <= width
        assert place.rect.bottom + rule.extrude <= height
    for one, other in itertools.combinations(layout.places, 2):
        if one.page == other.page:
            assert gap(one.rect, other.rect) >= rule.padding + 2 * rule.extrude
    for width, height in layout.pages:
        assert max(width, height) <= rule.max_size
        if rule.power_of_two:
            assert width & (width - 1) == 0
            assert height & (height - 1) == 0


@settings(max_examples=150, deadline=None)
@given(frames=sizes, rule=rules)
def test_frames_keep_their_distance_inside_pages_that_keep_the_limits(
    frames: list[tuple[int, int]], rule: Rules
) -> None:
    layout = pack(frames, rule)
    check(layout, frames, rule)
    assert pack(frames, rule) == layout


@settings(max_examples=60, deadline=None)
@given(count=st.integers(1, 70), side=st.tuples(st.integers(1, 40), st.integers(1, 40)), rule=rules)
def test_equal_frames_lie_in_a_grid_in_their_order(count: int, side: tuple[int, int], rule: Rules) -> None:
    layout = pack([side] * count, rule)
    check(layout, [side] * count, rule)
    if len(layout.pages) == 1:
        grid = layout.grid
        assert grid is not None
        for number, place in enumerate(layout.places):
            assert place.rect.x == grid.margin + number % grid.columns * (side[0] + grid.spacing)
            assert place.rect.y == grid.margin + number // grid.columns * (side[1] + grid.spacing)


@settings(max_examples=60, deadline=None)
@given(frames=sizes, rule=rules, data=st.data())
def test_pages_follow_the_order_and_an_animation_that_fits_a_page_is_not_parted(
    frames: list[tuple[int, int]], rule: Rules, data: st.DataObject
) -> None:
    groups = sorted(data.draw(st.lists(st.integers(0, 5), min_size=len(frames), max_size=len(frames))))
    layout = pack(frames, rule, groups)
    check(layout, frames, rule)
    pages = [place.page for place in layout.places]
    assert pages == sorted(pages)
    for group in set(groups):
        own = [number for number, other in enumerate(groups) if other == group]
        parted = pages[own[0]] != pages[own[-1]]
        if parted:
            # It begins a page of its own, unless it is the tail of nothing: even alone it does not fit one.
            assert len(pack([frames[number] for number in own], rule).pages) > 1


def test_no_border_is_left_around_frames_without_extrude() -> None:
    layout = pack([(10, 12)], Rules(padding=3))
    assert layout.pages == ((10, 12),)


def test_frames_of_all_sizes_fill_nine_tenths_of_the_page() -> None:
    frames = [(16 + 7 * number % 49, 16 + 11 * number % 47) for number in range(256)]
    layout = pack(frames, Rules(padding=2))
    ((width, height),) = layout.pages
    cells = sum((wide + 2) * (high + 2) for wide, high in frames)
    assert cells / ((width + 2) * (height + 2)) > 0.9
    assert max(width, height) / min(width, height) < 1.5


def test_few_frames_are_packed_more_tightly_still() -> None:
    random = np.random.default_rng(1)
    frames = [(int(width), int(height)) for width, height in random.integers(60, 120, (64, 2))]
    ((width, height),) = pack(frames, Rules(padding=2)).pages
    cells = sum((wide + 2) * (high + 2) for wide, high in frames)
    assert cells / ((width + 2) * (height + 2)) > 0.87
    assert max(width, height) / min(width, height) <= 2


def test_a_prime_number_of_frames_does_not_become_one_long_row() -> None:
    ((width, height),) = pack([(64, 64)] * 17, Rules()).pages
    assert max(width, height) <= 2 * min(width, height)


def test_a_frame_larger_than_a_page_is_refused_with_advice() -> None:
    with pytest.raises(SheetTooSmall, match="maxSheetSize"):
        pack([(10, 10), (63, 10)], Rules(extrude=1, max_size=64))


def test_power_of_two_pages_stay_below_a_limit_that_is_none() -> None:
    layout = pack([(30, 30)] * 30, Rules(power_of_two=True, max_size=100))
    assert set(layout.pages) <= {(64, 64), (64, 32), (32, 64), (32, 32)}


def test_nothing_to_pack_and_frames_without_area_are_errors() -> None:
    with pytest.raises(ValueError, match="at least one frame"):
        pack([], Rules())
    with pytest.raises(ValueError, match="without area"):
        pack([(0, 4)], Rules())


def test_a_bin_that_is_full_takes_nothing_more() -> None:
    assert pack_bin([(4, 4)], 4, 4) == [(0, 0)]
    assert pack_bin([(4, 4), (1, 1)], 4, 4) is None
    assert pack_bin([(3, 4), (1, 3), (1, 1)], 4, 4) == [(0, 0), (3, 0), (3, 3)]
