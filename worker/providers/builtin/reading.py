"""What the generator understands of a request's words, English or Chinese."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from domain.styles import Style
from worker.providers.builtin.lexicon.places import FRAMES, PARTS, PLACES, TERRAINS
from worker.providers.builtin.lexicon.qualities import (
    ART_STYLES,
    COLORS,
    ELEMENTS,
    MATERIALS,
    MOODS,
    NIGHT_WORDS,
    SIDE_SIGNS,
    SIDE_WORDS,
)
from worker.providers.builtin.lexicon.subjects import ENTRIES, Entry, Family

_RULERS: Final = ("king", "queen")
_WEAPONS: Final = frozenset(
    {"sword", "dagger", "axe", "hammer", "spear", "bow", "staff", "wand", "gun", "pickaxe", "torch", "lantern", "book"}
)


@dataclass(frozen=True, slots=True)
class Reading:
    """The meaning of a subject and a style, as far as it is understood."""

    #: The subject in one spelling: NFKC, case folded, spaces joined.
    text: str
    kind: str
    family: Family
    #: Whether a word of the subject named the kind.
    recognised: bool
    #: Colours named in the subject, in order.
    colors: tuple[str, ...]
    materials: tuple[str, ...]
    elements: tuple[str, ...]
    mood: str
    art: str
    #: What somebody holds by the words, if anything.
    held: str | None
    crowned: bool
    places: tuple[str, ...]
    hour: str
    terrains: tuple[str, ...]
    part: str | None
    frame: str | None

    def tone(self) -> tuple[str, ...]:
        """Return the colours of the words: named ones first, then those of elements."""
        glow = tuple(color for name, color, _, _ in ELEMENTS if name in self.elements)
        return (*self.colors, *glow)

    def material_color(self) -> str | None:
        """Return the colour of the first material named."""
        for name, color, _, _ in MATERIALS:
            if name in self.materials:
                return color
        return None


def fold(text: str) -> str:
    """Return the text in one spelling, so that the same words are the same request."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@lru_cache(maxsize=4096)
def _pattern(word: str) -> re.Pattern[str]:
    """Return what finds a word: English as a whole word, also in the plural; Chinese anywhere."""
    if word.isascii():
        return re.compile(rf"(?<![a-z0-9]){re.escape(word)}(?:s|es)?(?![a-z0-9])")
    return re.compile(re.escape(word))


def find(text: str, words: Iterable[str]) -> list[tuple[int, int]]:
    """Return the places (start, end) of the words in the folded text."""
    return [match.span() for word in words if word in text for match in _pattern(word).finditer(text)]


def _named(text: str, rows: Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]]) -> list[str]:
    """Return the names of the rows whose words are in the text, in the order of the text, longest words first."""
    found = [(start, end, name) for name, english, chinese in rows for start, end in find(text, (*english, *chinese))]
    return [name for _, _, name in _without_inner(found)]


def _without_inner(found: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Leave out what is part of a longer word found; the rest in the order of the text, each name once."""
    kept: dict[str, tuple[int, int, str]] = {}
    for item in sorted(found):
        inside = any(o[0] <= item[0] and item[1] <= o[1] and o[1] - o[0] > item[1] - item[0] for o in found)
        if not inside:
            kept.setdefault(item[2], item)
    return list(kept.values())


def _subjects(text: str) -> list[tuple[int, int, Entry]]:
    """Return every kind named, in the order of the text, without words that are part of longer ones."""
    by_kind = {entry.kind: entry for entry in ENTRIES}
    found = [
        (start, end, entry.kind) for entry in ENTRIES for start, end in find(text, (*entry.english, *entry.chinese))
    ]
    last: dict[str, tuple[int, int, str]] = {}
    for item in sorted(found):
        if not any(o[0] <= item[0] and item[1] <= o[1] and o[1] - o[0] > item[1] - item[0] for o in found):
            last[item[2]] = item
    return [(start, end, by_kind[kind]) for start, end, kind in sorted(last.values())]


def _side_start(text: str) -> int:
    """Return where the text stops to speak of its main subject."""
    places = [match.start() for word in SIDE_WORDS for match in [_pattern(word).search(text)] if match]
    places += [index for index in (text.find(sign) for sign in SIDE_SIGNS) if index >= 0]
    return min((place for place in places if place > 0), default=len(text))


def _head(found: list[tuple[int, int, Entry]], text: str) -> tuple[Entry | None, list[Entry]]:
    """Return the main subject (the last one before any aside) and the others."""
    if not found:
        return None, []
    end = _side_start(text)
    front = [item for item in found if item[0] < end] or found[:1]
    head = front[-1]
    if head[2].kind in _RULERS and len(front) > 1 and front[-2][2].family is Family.CREATURE:
        # A slime king is a slime that wears a crown.
        head = front[-2]
    return head[2], [item[2] for item in found if item is not head]


@lru_cache(maxsize=256)
def read(subject: str, style: Style) -> Reading:
    """Understand a subject and its style. The subject's words outrank the style's."""
    text = fold(subject)
    manner = fold(f"{style.art_style} {style.mood} {style.perspective}")
    head, others = _head(_subjects(text), text)
    colors = _named(text, COLORS)
    materials = _named(text, [(name, en, zh) for name, _, en, zh in MATERIALS])
    elements = _named(text, [(name, en, zh) for name, _, en, zh in ELEMENTS])
    moods = _named(text, MOODS) + _named(manner, MOODS)
    arts = _named(manner, ART_STYLES) + _named(text, ART_STYLES)
    hours = _named(f"{text} {manner}", [(name, words, ()) for name, words in NIGHT_WORDS.items()])
    terrains = _named(text, [(name, en, zh) for name, en, zh, _ in TERRAINS])
    return Reading(
        text=text,
        kind=head.kind if head else "emblem",
        family=head.family if head else Family.EMBLEM,
        recognised=head is not None,
        colors=tuple(colors),
        materials=tuple(materials),
        elements=tuple(elements),
        mood=moods[0] if moods else "",
        art=arts[0] if arts else "pixel",
        held=next((entry.kind for entry in others if entry.kind in _WEAPONS), None),
        crowned=any(entry.kind in (*_RULERS, "crown") for entry in others),
        places=tuple(_named(text, PLACES)),
        hour=hours[0] if hours else "",
        terrains=tuple(terrains),
        part=next(iter(_named(text, PARTS)), None),
        frame=next(iter(_named(f"{text} {manner}", FRAMES)), None),
    )
