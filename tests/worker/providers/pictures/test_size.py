import itertools

import pytest

from worker.providers.pictures.size import FixedSizes, FreeSizes, nearest_ratio

FIXED = FixedSizes(((1024, 1024), (1536, 1024), (1024, 1536)))
SIDES = (16, 33, 64, 128, 360, 640, 1000, 2048)


@pytest.mark.parametrize(
    ("asked", "size"),
    [((64, 64), (1024, 1024)), ((640, 360), (1536, 1024)), ((64, 200), (1024, 1536)), ((2048, 2048), (1024, 1024))],
)
def test_of_a_list_the_nearest_proportions_are_taken(asked: tuple[int, int], size: tuple[int, int]) -> None:
    assert FIXED.choose(*asked) == size


def test_of_equal_proportions_the_smallest_that_loses_nothing_is_taken() -> None:
    sizes = FixedSizes(((512, 512), (1024, 1024), (2048, 2048)))
    assert [sizes.choose(side, side)[0] for side in (64, 512, 600, 1500, 2048)] == [512, 512, 1024, 2048, 2048]
    assert FixedSizes(((256, 256), (512, 512))).choose(2000, 2000) == (512, 512)


@pytest.mark.parametrize(("width", "height"), list(itertools.product(SIDES, SIDES)))
def test_free_sizes_keep_to_the_limits(width: int, height: int) -> None:
    made = FreeSizes().choose(width, height)
    assert made[0] % 16 == made[1] % 16 == 0
    assert 1 / 3 <= made[0] / made[1] <= 3
    assert max(made) <= 3840
    assert 600_000 < made[0] * made[1] <= 2560 * 1440 * 1.05


def test_more_is_painted_where_more_is_asked_for() -> None:
    assert FreeSizes().choose(64, 64) == (1024, 1024)
    assert FreeSizes().choose(1536, 1536) == (1536, 1536)


def test_ratios_are_the_nearest() -> None:
    ratios = ("1:1", "16:9", "9:16", "21:9")
    assert [nearest_ratio(ratios, *size) for size in ((64, 64), (640, 360), (100, 300), (2048, 500))] == [
        "1:1", "16:9", "9:16", "21:9",
    ]  # fmt: skip
