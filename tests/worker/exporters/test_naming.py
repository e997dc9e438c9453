import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.exporters.naming import Names, slug


@settings(deadline=None)
@given(subject=st.text(max_size=300), animation=st.text(max_size=64), variation=st.integers(0, 7))
def test_every_name_is_short_safe_ascii_and_given_once(subject: str, animation: str, variation: int) -> None:
    names = Names(subject, "SPRITESHEET", variation, 8)
    given_names = [names.part(animation, ".apng") for _ in range(3)]
    given_names += [names.take(names.stem, ".png"), names.take(f"{names.stem}-page12", ".aseprite.json")]
    for name in given_names:
        assert re.fullmatch(r"[a-z0-9][a-z0-9-]*(\.[a-z]+)+", name)
        assert len(name.encode()) <= 120
    assert len(set(given_names)) == len(given_names)


@pytest.mark.parametrize(
    ("subject", "name"),
    [
        ("Green Slime!", "green-slime"),
        ("  König über\tÄpfel ", "konig-uber-apfel"),
        ("../../etc/passwd\0", "etc-passwd"),
        ("红色 slime 史莱姆", "slime"),
        ("a" * 300, "a" * 48),
        ("one two three four five six seven eight nine ten eleven", "one-two-three-four-five-six-seven-eight-nine-ten"),
    ],
)
def test_names_are_readable(subject: str, name: str) -> None:
    assert slug(subject, "sprite") == name


@pytest.mark.parametrize("subject", ["龙" * 200, "👩‍🚀👍🏽", "\u202e\u200f", "", "x", "NUL", "com1", "\ud800"])
def test_what_leaves_nothing_readable_is_told_apart_by_a_hash(subject: str) -> None:
    name = slug(subject, "sprite")
    assert re.fullmatch("sprite-[0-9a-f]{8}", name)
    assert name != slug(subject + "龙", "sprite")


def test_variations_are_numbered_from_one_and_a_single_one_is_not() -> None:
    assert Names("elf", "ICON", 0, 1).stem == "elf"
    assert [Names("elf", "ICON", number, 3).stem for number in range(3)] == ["elf-1", "elf-2", "elf-3"]
