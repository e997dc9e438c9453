from typing import Any

import pytest

from tests.helpers.replicate_contract import MODELS, schema
from tests.helpers.requests import make_request
from worker.providers.inputs.fill import NoPictureTaken, clip_input, picture_input
from worker.providers.inputs.schema import InputField, read_schema, schema_of_names
from worker.providers.pictures.shot import Shot


def shot(**fields: Any) -> Shot:
    usual: dict[str, Any] = {"width": 512, "height": 512, "transparent": False, "seed": 7}
    return Shot("a kite", fields.pop("negative", ""), **{**usual, **fields})


def test_a_schema_is_read_with_the_choices_that_it_refers_to() -> None:
    read = read_schema(MODELS["bytedance/seedance-1-pro"])
    assert read["resolution"].values == ("480p", "720p", "1080p")
    assert (read["duration"].least, read["duration"].most) == (2, 12)
    assert read["image"] == InputField(text=True)
    assert read_schema(MODELS["google/nano-banana"])["image_input"].many


@pytest.mark.parametrize(
    "document",
    [None, [], {}, {"components": None}, {"components": {"schemas": {"Input": {"properties": [1]}}}}],
)
def test_what_is_no_schema_has_no_fields(document: object) -> None:
    assert read_schema(document) == {}


def test_odd_fields_and_schemas_that_refer_to_themselves_are_read_as_far_as_they_go() -> None:
    circle = {"Input": {"properties": {"a": {"$ref": "#/x/b"}, "c": 3}}, "b": {"$ref": "#/x/b", "enum": [1, True, "x"]}}
    read = read_schema({"components": {"schemas": circle}})
    assert (read["a"].values, read["c"]) == ((1, "x"), InputField())


def test_names_of_an_operator_say_which_are_lists() -> None:
    read = schema_of_names({"image_urls[]": (), "duration": ("5", "10")})
    assert (read["image_urls"].many, read["duration"].values) == (True, ("5", "10"))


def test_a_picture_has_the_nearest_shape_that_is_offered() -> None:
    fields = read_schema(MODELS["black-forest-labs/flux-schnell"])
    given = picture_input(fields, shot(width=300, height=200, negative="fog"), ())
    assert given == {
        "prompt": "a kite\nAvoid: fog.",
        "seed": 7,
        "aspect_ratio": "3:2",
        "output_format": "png",
        "num_outputs": 1,
    }


def test_a_picture_has_a_size_where_there_is_no_such_choice() -> None:
    free = picture_input({"prompt": InputField(), "image_size": InputField()}, shot(width=1024, height=512), ())
    size: Any = free["image_size"]
    assert size["width"] / size["height"] == pytest.approx(2, rel=0.05)
    limited = picture_input(read_schema(MODELS["acme/old"]), shot(width=4000, height=4000), ())
    assert (limited["width"], limited["height"]) == (1024, 1024)
    listed = {"width": InputField(values=(512, 768)), "height": InputField(values=(512, 768))}
    assert picture_input(listed, shot(width=64, height=64), ())["width"] == 768


def test_what_is_to_be_avoided_has_a_field_or_is_said() -> None:
    has = picture_input({"negative_prompt": InputField()}, shot(negative="fog"), ())
    assert (has["prompt"], has["negative_prompt"]) == ("a kite", "fog")


def test_a_seed_is_brought_into_the_range_that_is_taken() -> None:
    assert picture_input({"seed": InputField(most=9)}, shot(seed=123), ())["seed"] == 3


@pytest.mark.parametrize(
    ("names", "sent"),
    [
        ({"image_input[]": (), "image": ()}, {"image_input": ["a", "b"]}),
        ({"image_urls": ()}, {"image_urls": ["a", "b"]}),
        ({"image_url": ()}, {"image_url": "a"}),
    ],
)
def test_pictures_go_into_the_field_that_there_is(names: dict[str, Any], sent: dict[str, Any]) -> None:
    given = picture_input(schema_of_names(names), shot(), ("a", "b"))
    assert {name: value for name, value in given.items() if name in sent} == sent


def test_a_model_without_a_field_for_pictures_is_not_asked_to_look_at_one() -> None:
    with pytest.raises(NoPictureTaken):
        picture_input({}, shot(), ("a",))
    with pytest.raises(NoPictureTaken):
        clip_input({}, make_request("VIDEO"), "a")


@pytest.mark.parametrize(
    ("field", "wanted", "sent"),
    [
        (InputField(least=2, most=12), 4.2, 5),
        (InputField(least=2, most=12), 30, 12),
        (InputField(values=("5", "10")), 6, "10"),
        (InputField(values=("5s", "9s")), 3, "5s"),
        (InputField(values=(4, 6, 8)), 5, 6),
        (InputField(text=True), 4, "4"),
        (InputField(), 3.5, 4),
    ],
)
def test_a_length_is_sent_in_the_form_of_its_field(field: InputField, wanted: float, sent: str | int) -> None:
    request = make_request("VIDEO", duration_seconds=min(wanted, 10))
    if wanted > 10:
        field = InputField(least=2, most=5)
        sent = 5
    assert clip_input({"duration": field}, request, None)["duration"] == sent


def test_a_clip_from_words_has_a_shape_and_one_from_a_picture_has_the_pictures() -> None:
    fields = read_schema(
        schema({"image": {"type": "string"}, "generate_audio": {}}, aspect_ratio=["adaptive", "16:9", "1:1"])
    )
    words = clip_input(fields, make_request("VIDEO", width=400, height=400), None)
    picture = clip_input(fields, make_request("VIDEO"), "data:x")
    assert (words["aspect_ratio"], words["generate_audio"], "image" in words) == ("1:1", False, False)
    assert (picture["aspect_ratio"], picture["image"]) == ("adaptive", "data:x")


def test_the_least_resolution_that_loses_nothing_is_asked_for() -> None:
    fields = {"resolution": InputField(values=("480p", "720p", "1080p", "auto"))}
    sizes = [(640, 480), (1280, 720), (1280, 500)]
    found = [clip_input(fields, make_request("VIDEO", width=w, height=h), None)["resolution"] for w, h in sizes]
    assert found == ["480p", "720p", "720p"]
