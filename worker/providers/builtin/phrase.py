"""Which noun of a request is its main subject, and which words belong to which noun."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from worker.providers.builtin.lexicon.attire import (
    ASIDE_WORDS,
    ATTIRE,
    COPULAS,
    JOINING,
    SIGNS,
    VERBS,
    WITHOUT_VERBS,
    WITHOUT_WORDS,
)
from worker.providers.builtin.lexicon.subjects import ENTRIES, Entry, Family

Rows = Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]]
Found = tuple[int, int, str]

#: What somebody does for a living: a body named before it keeps its shape.
CLASSES: Final = frozenset(
    {"knight", "wizard", "witch", "necromancer", "archer", "rogue", "ninja", "pirate", "priest", "viking", "samurai"}
    | {"king", "queen"}
)
_RACES: Final = frozenset(
    {"zombie", "vampire", "elf", "dwarf", "skeleton", "goblin", "orc", "demon", "angel", "robot", "golem"}
)
_ANYBODY: Final = frozenset({"villager", "girl"})
#: Those who are named after what they hunt.
_FOES: Final = ("hunter", "hunters", "猎人")
WEAPONS: Final = frozenset(
    {"sword", "dagger", "axe", "hammer", "spear", "bow", "staff", "wand", "gun", "pickaxe", "torch", "lantern", "book"}
)


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun in the text: a kind of thing, a part of somebody, or both."""

    start: int
    end: int
    entry: Entry | None
    part: str | None

    @property
    def role(self) -> str:
        """Return as what it goes with a subject: a part, or "weapon", or its kind."""
        if self.part:
            return self.part
        kind = self.entry.kind if self.entry else ""
        return "weapon" if kind in WEAPONS else kind


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text between two breaks; `aside` when it speaks of what goes with the subject."""

    start: int
    end: int
    aside: bool
    absent: bool
    joined: bool


@dataclass(frozen=True, slots=True)
class Phrase:
    """The nouns of a text, the main one among them."""

    text: str
    spans: tuple[Span, ...]
    nouns: tuple[Noun, ...]
    head: Noun | None
    #: The class of somebody whose body another word names: the archer of a skeleton archer.
    calling: Noun | None
    #: Roles that the text says are not there.
    absent: frozenset[str] = field(default=frozenset())

    def others(self) -> list[Noun]:
        """Return what goes with the subject."""
        return [noun for noun in self.nouns if noun is not self.head]

    def owner(self, start: int, end: int) -> Noun | None:
        """Return the noun that a word at this place describes: None for the main subject."""
        noun = self._described(start, end)
        if noun is None or noun is self.head or self._is_modifier(noun):
            return None
        return noun

    def _described(self, start: int, end: int) -> Noun | None:
        inside = next((noun for noun in self.nouns if noun.start <= start and end <= noun.end), None)
        if inside:
            return inside
        before = [noun for noun in self.nouns if noun.end <= start]
        if before and self.text[before[-1].end : start].strip() in COPULAS:
            return before[-1]
        limit = self._reach(end)
        after = next((noun for noun in self.nouns if end <= noun.start < limit), None)
        if after is None and before and _span_of(self.spans, before[-1].start) is _span_of(self.spans, start):
            return before[-1]
        return after

    def _reach(self, place: int) -> int:
        """Return up to where a word looks for its noun: over "and" when its own stretch ends with it."""
        for index, span in enumerate(self.spans):
            if span.start <= place <= span.end:
                following = self.spans[index + 1 : index + 2]
                if not self.text[place : span.end].strip() and following and following[0].joined:
                    return following[0].end
                return span.end
        return len(self.text)

    def _is_modifier(self, noun: Noun) -> bool:
        """Tell whether a noun only describes the subject: the fire of a fire dragon."""
        head = self.head
        if head is None or noun.part or noun.start > head.start:
            return noun is self.calling
        same = _span_of(self.spans, noun.start) is _span_of(self.spans, head.start)
        return same and "的" not in self.text[noun.end : head.start] and not _governed(self, noun)


@lru_cache(maxsize=4096)
def pattern(word: str) -> re.Pattern[str]:
    """Return what finds a word: English as a whole word, also in the plural; Chinese anywhere."""
    if word.isascii():
        return re.compile(rf"(?<![a-z0-9]){re.escape(word)}(?:s|es)?(?![a-z0-9])")
    return re.compile(re.escape(word))


def find(text: str, words: Iterable[str]) -> list[tuple[int, int]]:
    """Return the places (start, end) of the words in the folded text."""
    return [match.span() for word in words if word in text for match in pattern(word).finditer(text)]


def found(text: str, rows: Rows) -> list[Found]:
    """Return (start, end, name) of the rows whose words are in the text, in its order, without parts of longer ones."""
    hits = {(start, end, name) for name, english, chinese in rows for start, end in find(text, (*english, *chinese))}
    return sorted(hit for hit in hits if not _is_inner(hit[:2], [other[:2] for other in hits]))


def _is_inner(place: tuple[int, int], others: Iterable[tuple[int, int]]) -> bool:
    return any(o[0] <= place[0] and place[1] <= o[1] and o[1] - o[0] > place[1] - place[0] for o in others)


def nouns_of(text: str) -> list[Noun]:
    """Return every noun in the order of the text; a word in a longer one does not count."""
    kinds = {place: entry for entry in ENTRIES for place in sorted(find(text, (*entry.english, *entry.chinese)))}
    parts = {(start, end): name for start, end, name in found(text, ATTIRE)}
    places = {*kinds, *parts}
    return [
        Noun(*place, kinds.get(place), parts.get(place)) for place in sorted(places) if not _is_inner(place, places)
    ]


def _spans(text: str, nouns: Sequence[Noun]) -> tuple[Span, ...]:
    """Cut the text at signs, joining words and the words that begin an aside."""
    words = {
        **dict.fromkeys(SIGNS, "sign"),
        **dict.fromkeys(JOINING, "join"),
        **dict.fromkeys(ASIDE_WORDS, "aside"),
        **dict.fromkeys(WITHOUT_WORDS, "without"),
    }
    cuts: list[tuple[int, int, str]] = []
    for word, kind in words.items():
        exact = re.compile(
            rf"(?<![a-z0-9-]){re.escape(word)}(?![a-z0-9-])" if word.isalpha() and word.isascii() else re.escape(word)
        )
        cuts += [
            (*match.span(), kind)
            for match in exact.finditer(text)
            if not any(noun.start <= match.start() and match.end() <= noun.end for noun in nouns)
        ]
    result: list[Span] = []
    start, aside, absent, joined = 0, False, False, False
    for left, right, kind in sorted(cuts):
        result.append(Span(start, left, aside, absent, joined))
        start, joined = right, kind == "join"
        if kind != "join":
            aside, absent = kind in ("aside", "without"), kind == "without"
    return (*result, Span(start, len(text), aside, absent, joined))


def _span_of(spans: Sequence[Span], place: int) -> Span:
    return next((span for span in spans if span.start <= place <= span.end), spans[-1])


def _governed(phrase: Phrase, noun: Noun) -> bool:
    """Tell whether a Chinese verb before the noun makes it what goes with the subject."""
    text = phrase.text
    start = _span_of(phrase.spans, noun.start).start
    inside = [other for other in phrase.nouns if other.start >= start]
    verbs = [
        place
        for place in range(start, noun.start)
        if text[place] in VERBS and not any(other.start <= place < other.end for other in inside)
    ]
    if not verbs:
        return False
    between = text[verbs[-1] + 1 : noun.start]
    if "的" not in between:
        return True
    # 戴皇冠的青蛙: the frog is free. 穿黑色的盔甲: the armour is worn.
    thing = between.rpartition("的")[0].lstrip("着了一个件把顶只")
    return not any(verbs[-1] < other.start and other.end <= noun.start for other in inside) and (
        thing == "" or "色" in thing or len(thing) == 1
    )


def _denied(phrase: Phrase, noun: Noun) -> bool:
    span = _span_of(phrase.spans, noun.start)
    if span.absent:
        return True
    before = phrase.text[span.start : noun.start]
    return "的" not in before and any(word in before for word in WITHOUT_VERBS)


def _main(phrase: Phrase) -> tuple[Noun | None, Noun | None]:
    """Return the main noun and, where it is a body before a class, the class."""
    things = [noun for noun in phrase.nouns if noun.entry]
    for wanted in (False, True):
        for span in phrase.spans:
            if span.aside and not wanted:
                continue
            here = [noun for noun in things if span.start <= noun.start <= span.end]
            free = here if wanted else [noun for noun in here if not _governed(phrase, noun)]
            if free:
                return _body(phrase.text, free)
    return None, None


def _body(text: str, row: Sequence[Noun]) -> tuple[Noun, Noun | None]:
    """Choose from the nouns of one phrase: the last, unless the one before it names the body."""
    last = row[-1]
    if len(row) == 1 or last.entry is None or row[-2].entry is None:
        return last, None
    before, kind = row[-2].entry, last.entry.kind
    if "的" in text[row[-2].end : last.start] or text[last.start : last.end] in _FOES or "'" in text[row[-2].end :][:2]:
        return last, None
    alive = before.kind in _RACES or before.family is Family.CREATURE
    if kind in CLASSES and alive and before.kind != kind:
        return row[-2], last
    if kind in _ANYBODY and before.family is Family.PERSON and before.kind != kind:
        return row[-2], last
    if kind == "monster" and before.family is Family.CREATURE and before.kind != kind:
        return row[-2], None
    return last, None


def parse(text: str) -> Phrase:
    """Find the nouns of a folded text, and its main subject."""
    nouns = nouns_of(text)
    spans = _spans(text, nouns)
    bare = Phrase(text, spans, tuple(nouns), None, None)
    denied = [noun for noun in nouns if _denied(bare, noun)]
    kept = tuple(noun for noun in nouns if noun not in denied)
    head, calling = _main(Phrase(text, spans, kept, None, None))
    return Phrase(text, spans, kept, head, calling, frozenset(noun.role for noun in denied))
