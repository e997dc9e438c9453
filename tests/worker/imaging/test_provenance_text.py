import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.artifacts import Provenance
from worker.imaging.provenance import as_json, bounded_text, png_texts, xmp_packet


@settings(deadline=None)
@given(st.text(max_size=200), st.integers(10, 100))
def test_cut_text_is_valid_bounded_and_a_beginning(text: str, maximum: int) -> None:
    cut = bounded_text(text, maximum)
    assert len(cut.encode()) <= maximum
    assert bounded_text(cut, maximum) == cut
    clean = bounded_text(text, 10_000)
    assert cut == clean or (cut.endswith("…") and clean.startswith(cut[:-1]))


@pytest.mark.parametrize(
    ("text", "maximum", "expected"),
    [
        ("abc", 3, "abc"),
        ("abcdef", 5, "ab…"),
        ("龙龙龙", 8, "龙…"),
        ("ae\u0301e\u0301e\u0301e\u0301", 8, "ae\u0301…"),
        ("ab👩‍🚀👩‍🚀", 16, "ab👩‍🚀…"),
        ("ab👩‍🚀👩‍🚀", 15, "ab…"),
        ("ab👍🏽cdefgh", 12, "ab…"),
        ("\u0301" * 20, 9, "…"),
    ],
)
def test_what_belongs_together_is_not_parted(text: str, maximum: int, expected: str) -> None:
    assert bounded_text(text, maximum) == expected


def test_what_no_encoder_takes_is_dropped() -> None:
    assert bounded_text("a\x00b\ud800c\x1bd\ufffee\tf", 100) == "abcde\tf"


@settings(deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_every_form_is_valid_utf8_for_any_text(prompt: str, negative: str) -> None:
    provenance = Provenance(negative, prompt, 5, prompt, negative, 1, 0)
    assert json.loads(as_json(provenance))["prompt"] == bounded_text(prompt, 4096)
    assert "\x00" not in png_texts(provenance)["Description"]
    xmp_packet(provenance).decode()


def test_two_runs_that_draw_the_same_embed_the_same() -> None:
    first = Provenance("a", "b", 5, "p", "n", 1, 0, "r1", 1.0)
    second = Provenance("a", "b", 5, "p", "n", 2, 3, "r2", 9.0)
    assert as_json(first) == as_json(second)
    assert xmp_packet(first) == xmp_packet(second)
