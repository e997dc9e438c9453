import pytest

from domain.styles import Style
from worker.providers.builtin.lexicon.places import FRAMES, PARTS, PLACES, TERRAINS
from worker.providers.builtin.lexicon.qualities import ART_STYLES, COLORS, ELEMENTS, MATERIALS, MOODS
from worker.providers.builtin.lexicon.subjects import ENTRIES, Family
from worker.providers.builtin.reading import Reading, read

PLAIN = Style()


def understand(text: str, style: Style = PLAIN) -> Reading:
    return read(text, style)


SUBJECT_WORDS = [(word, entry.kind) for entry in ENTRIES for word in (*entry.english, *entry.chinese)]


def test_the_lexicon_is_not_empty_and_both_languages_name_every_kind() -> None:
    assert len(SUBJECT_WORDS) > 500
    for entry in ENTRIES:
        assert entry.english
        assert entry.chinese
        assert all(word.isascii() for word in entry.english)
        assert not any(word.isascii() for word in entry.chinese)


def test_every_word_names_its_kind() -> None:
    found = {word: (understand(word).kind, understand(word).recognised) for word, _ in SUBJECT_WORDS}
    assert found == {word: (kind, True) for word, kind in SUBJECT_WORDS}


def test_sentences_in_both_languages_name_the_same_kind() -> None:
    for entry in ENTRIES:
        kinds = {understand(f"a small {entry.english[0]}").kind, understand(f"一个小{entry.chinese[0]}").kind}
        assert kinds == {entry.kind}


@pytest.mark.parametrize(("color", "english", "chinese"), COLORS)
def test_colours_are_read_in_both_languages(color: str, english: tuple[str, ...], chinese: tuple[str, ...]) -> None:
    for word in english:
        assert understand(f"a {word} slime").colors == (color,)
    for word in chinese:
        assert understand(f"{word}史莱姆").colors == (color,)


def test_materials_elements_moods_and_styles_are_read_in_both_languages() -> None:
    for name, _, english, chinese in MATERIALS:
        assert all(name in understand(f"{word} helmet").materials for word in english)
        assert all(name in understand(f"{word}头盔").materials for word in chinese)
    for name, _, english, chinese in ELEMENTS:
        assert all(name in understand(f"{word} slime").elements for word in english)
        assert all(name in understand(f"{word}史莱姆").elements for word in chinese)
    for name, english, chinese in MOODS:
        assert all(understand(f"{word} knight").mood == name for word in english)
        assert all(understand("knight", Style(mood=word)).mood == name for word in chinese)
    for name, english, chinese in ART_STYLES:
        assert all(understand("knight", Style(art_style=word)).art == name for word in (*english, *chinese))


@pytest.mark.parametrize("rows", [PLACES, PARTS, FRAMES], ids=["places", "parts", "frames"])
def test_places_and_parts_are_read_in_both_languages(
    rows: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...],
) -> None:
    for name, english, chinese in rows:
        for word in (*english, *chinese):
            reading = understand(word)
            assert name in (*reading.places, reading.part, reading.frame), word


def test_terrains_are_read_in_both_languages() -> None:
    for name, english, chinese, _ in TERRAINS:
        for word in (*english, *chinese):
            assert name in understand(word).terrains, word


@pytest.mark.parametrize(
    ("text", "kind", "held"),
    [
        ("knight with an axe", "knight", "axe"),
        ("拿着剑的骑士", "knight", "sword"),
        ("骑士拿着斧头", "knight", "axe"),
        ("a wizard holding a lantern", "wizard", "lantern"),
        ("treasure chest", "chest", None),
        ("mushroom house", "house", None),
        ("apple tree", "tree", None),
        ("Christmas tree", "pine", None),
        ("火龙", "dragon", None),
        ("iron sword", "sword", None),
        ("KNIGHTS", "knight", None),
        ("wolves", "wolf", None),
        ("slime king", "slime", None),
        ("史莱姆国王", "slime", None),
    ],
)
def test_the_main_subject_is_told_from_what_goes_with_it(text: str, kind: str, held: str | None) -> None:
    reading = understand(text)
    assert (reading.kind, reading.held) == (kind, held)


def test_words_inside_other_words_do_not_count() -> None:
    assert understand("scatter").kind == "emblem"
    assert understand("barking up").family is Family.EMBLEM


def test_the_subjects_words_outrank_the_styles() -> None:
    assert understand("cheerful knight", Style(mood="dark")).mood == "cheerful"
    assert understand("knight", Style(mood="dark")).mood == "dark"


def test_wide_letters_and_case_mean_the_same() -> None:
    assert understand("ＫＮＩＧＨＴ").text == understand("knight").text
