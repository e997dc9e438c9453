import json
from collections.abc import Callable
from typing import Any

import pytest

from domain.kinds import AtlasFormat
from domain.params import Animation
from worker.pipeline.adapt import AdaptJob, adapt


def documents(job: AdaptJob) -> list[dict[str, Any]]:
    return [json.loads(file.data) for file in adapt(job) if file.name.endswith(".aseprite.json")]


def test_keys_are_the_bare_numbers_that_phaser_looks_for_and_tags_lead_to_them(sheet_job: Callable[..., Any]) -> None:
    job, _ = sheet_job((Animation('走 "x"', 3, 10), Animation("run", 2, 60)), atlas_formats=(AtlasFormat.ASEPRITE,))
    (document,) = documents(job)
    assert list(document["frames"]) == ["0", "1", "2", "3", "4"]
    assert [entry["duration"] for entry in document["frames"].values()] == [100, 100, 100, 17, 17]
    assert document["meta"]["frameTags"] == [
        {"name": '走 "x"', "from": 0, "to": 2, "direction": "forward"},
        {"name": "run", "from": 3, "to": 4, "direction": "forward"},
    ]


@pytest.mark.parametrize(
    ("loop", "ping_pong", "expected"),
    [
        (True, False, {"direction": "forward"}),
        (False, False, {"direction": "forward", "repeat": "1"}),
        (True, True, {"direction": "pingpong"}),
        (False, True, {"direction": "pingpong", "repeat": "2"}),
    ],
)
def test_tags_say_how_often_and_in_which_direction(
    sheet_job: Callable[..., Any], *, loop: bool, ping_pong: bool, expected: dict[str, str]
) -> None:
    job, _ = sheet_job((Animation("a", 3, 8, loop, ping_pong),), atlas_formats=(AtlasFormat.ASEPRITE,))
    (document,) = documents(job)
    (tag,) = document["meta"]["frameTags"]
    assert {key: tag[key] for key in tag if key in ("direction", "repeat")} == expected


def test_the_pivot_is_a_slice_in_pixels_of_the_untrimmed_frame(sheet_job: Callable[..., Any]) -> None:
    job, _ = sheet_job(
        (Animation("a", 2),), atlas_formats=(AtlasFormat.ASEPRITE,), pivot_x=0.25, pivot_y=1.0, trim=True
    )
    (document,) = documents(job)
    (key,) = document["meta"]["slices"][0]["keys"]
    assert key["bounds"] == {"x": 0, "y": 0, "w": 32, "h": 24}
    assert key["pivot"] == {"x": 8, "y": 24}


def test_each_page_is_complete_in_itself(sheet_job: Callable[..., Any]) -> None:
    job, frames = sheet_job(
        (Animation("long", 9), Animation("short", 2)), atlas_formats=(AtlasFormat.ASEPRITE,), max_sheet_size=70
    )
    pages = documents(job)
    assert len(pages) > 1
    covered = 0
    for page in pages:
        assert list(page["frames"]) == [str(number) for number in range(len(page["frames"]))]
        tagged = [number for tag in page["meta"]["frameTags"] for number in range(tag["from"], tag["to"] + 1)]
        assert tagged == list(range(len(page["frames"])))
        covered += len(tagged)
    assert covered == len(frames)
