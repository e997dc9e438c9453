from pathlib import Path

import pytest

from worker.providers.builtin.lexicon.attire import ATTIRE
from worker.providers.builtin.lexicon.places import FRAMES, PARTS, PLACES, TERRAINS
from worker.providers.builtin.lexicon.qualities import (
    ART_STYLES,
    COLORS,
    ELEMENTS,
    FEW_TONES,
    MATERIALS,
    MOODS,
    NIGHT_WORDS,
)
from worker.providers.builtin.lexicon.subjects import ENTRIES, Family
from worker.providers.builtin.pose import NAMES

DOCUMENT = Path(__file__).parents[4] / "docs" / "generator.md"
Rows = list[tuple[str, tuple[str, ...], tuple[str, ...]]]


def split(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(w for w in words if w.isascii()), tuple(w for w in words if not w.isascii())


def kinds(family: Family) -> Rows:
    merged: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    for entry in ENTRIES:
        if entry.family is family:
            english, chinese = merged.get(entry.kind, ((), ()))
            merged[entry.kind] = ((*english, *entry.english), (*chinese, *entry.chinese))
    return [(kind, *words) for kind, words in merged.items()]


TABLES: dict[str, Rows] = {
    "Subjects: people": kinds(Family.PERSON),
    "Subjects: creatures": kinds(Family.CREATURE),
    "Subjects: items": kinds(Family.ITEM),
    "Subjects: props": kinds(Family.PROP),
    "Parts of people": list(ATTIRE),
    "Colors": list(COLORS),
    "Materials": [(name, english, chinese) for name, _, english, chinese in MATERIALS],
    "Elements": [(name, english, chinese) for name, _, english, chinese in ELEMENTS],
    "Moods": list(MOODS),
    "Art styles": list(ART_STYLES),
    "Art styles of few colors": [(name, english, chinese) for name, english, chinese, _ in FEW_TONES],
    "Places": list(PLACES),
    "Hours": [(name, *split(words)) for name, words in NIGHT_WORDS.items()],
    "Terrains": [(name, english, chinese) for name, english, chinese, _ in TERRAINS],
    "Parts of interfaces": list(PARTS),
    "What interfaces are made of": list(FRAMES),
    "Animations": [(name, *split(words)) for name, words in NAMES.items()],
}


@pytest.mark.parametrize("title", TABLES)
def test_the_document_lists_exactly_the_words_that_are_understood(title: str) -> None:
    section = DOCUMENT.read_text(encoding="utf-8").split(f"## {title}\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
    assert rows == [
        f"| {name} | {', '.join(english)} | {'、'.join(chinese)} |" for name, english, chinese in TABLES[title]
    ]
