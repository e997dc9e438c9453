import numpy as np
import pytest
from PIL import Image

from tests.helpers.clips import clip
from tests.helpers.requests import make_request, run_here
from tests.helpers.stub import encoded, sprite
from worker.imaging.pixels import decode_rgba
from worker.providers.base import ProviderError
from worker.providers.clips.frame import FrameJob, start_frame
from worker.providers.clips.plan import fitting_lines, fitting_ratio, fitting_seconds, frame_size
from worker.providers.clips.work import ClipWork, Filmed, clip_capabilities
from worker.video.read import probe

WORK = ClipWork("films", "film-1", run_here, 0.4)


@pytest.mark.parametrize(("wanted", "seconds"), [(0.5, 5), (5, 5), (5.1, 10), (10, 10), (12, 10)])
def test_the_shortest_length_that_is_long_enough_is_asked_for(wanted: float, seconds: int) -> None:
    assert fitting_seconds(wanted, (5, 10)) == seconds


def test_the_nearest_proportions_and_the_least_resolution_that_loses_nothing_are_asked_for() -> None:
    wide = make_request("VIDEO", width=512, height=288)
    high = make_request("VIDEO", width=400, height=700)
    ratios = ("16:9", "1:1", "9:16")
    assert [fitting_ratio(request, ratios) for request in (wide, high)] == ["16:9", "9:16"]
    assert [fitting_lines(request, (480, 720)) for request in (wide, make_request("VIDEO", width=640, height=640))] == [
        480,
        720,
    ]
    assert fitting_lines(make_request("VIDEO", width=900, height=900), (480, 720)) == 720


@pytest.mark.parametrize(("width", "height"), [(512, 288), (64, 64), (1920, 480), (64, 640)])
def test_a_start_frame_has_the_shape_asked_for_within_what_services_take(width: int, height: int) -> None:
    wide, high = frame_size(make_request("VIDEO", width=width, height=height))
    assert wide % 16 == high % 16 == 0
    assert min(wide, high) >= 512
    assert max(wide / high, high / wide) < 2.5


def test_a_sprite_stands_on_a_plain_ground_with_its_pixels_as_they_are() -> None:
    frame = decode_rgba(start_frame(FrameJob(sprite(3), 1280, 720)))
    assert frame.shape == (720, 1280, 4)
    assert frame[..., 3].min() == 255
    assert tuple(frame[0, 0, :3]) == (128, 128, 128)
    assert np.unique(frame[360].reshape(-1, 4), axis=0).shape[0] > 2


@pytest.mark.parametrize(("size", "cropped"), [((900, 600), True), ((100, 300), False)])
def test_a_picture_of_another_shape_is_cropped_or_set_on_the_color_of_its_edges(
    size: tuple[int, int], *, cropped: bool
) -> None:
    picture = Image.new("RGBA", size, (200, 30, 40, 255))
    picture.paste((0, 0, 0, 255), (size[0] // 4, size[1] // 4, size[0] * 3 // 4, size[1] * 3 // 4))
    frame = decode_rgba(start_frame(FrameJob(encoded(picture), 1280, 720)))
    assert frame.shape == (720, 1280, 4)
    black = (frame[..., :3].max(axis=2) < 40).mean()
    assert bool(black > 0.2) is cropped
    assert np.abs(frame[5, 5, :3].astype(int) - (200, 30, 40)).max() < 12


async def test_a_clip_is_delivered_in_the_shape_and_length_asked_for_with_what_the_service_said() -> None:
    request = make_request("VIDEO", width=96, height=64, duration_seconds=0.5)
    result = await WORK.finished(request, Filmed(clip(count=48), 7, "req", {"usage": 3}))
    assert result.clip is not None
    assert probe(result.clip).seconds == pytest.approx(0.5, abs=0.03)
    assert (result.seed, result.request_id, result.model) == (7, "req", "film-1")
    assert result.details["service"] == {"clips": [{"usage": 3}], "estimatedCost": 0.4}


async def test_what_is_no_clip_is_a_bad_answer_and_what_is_no_picture_an_unreadable_source() -> None:
    with pytest.raises(ProviderError) as caught:
        await WORK.finished(make_request("VIDEO"), Filmed(b"\0\0\0\x18ftypmp42"))
    assert caught.value.code == "PROVIDER_BAD_ANSWER"
    assert await WORK.start_frame(make_request("VIDEO")) is None
    with pytest.raises(ProviderError) as caught:
        await WORK.start_frame(make_request("VIDEO", source=b"no picture"))
    assert (caught.value.code, caught.value.retryable) == ("UNREADABLE_SOURCE", False)


def test_what_a_service_films_from_is_what_it_can() -> None:
    assert {str(kind) for kind in clip_capabilities().kinds} == {"TEXT_TO_VIDEO", "IMAGE_TO_VIDEO"}
    only = clip_capabilities(from_words=False)
    assert ({str(kind) for kind in only.kinds}, only.asynchronous) == ({"IMAGE_TO_VIDEO"}, True)
