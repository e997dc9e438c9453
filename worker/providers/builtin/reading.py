"""What the generator understands of a request's words, English or Chinese."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from domain.styles import Style
from worker.providers.builtin.lexicon.attire import FEMALE_WORDS, HAIRDOS, OLD_WORDS
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
from worker.providers.builtin.lexicon.subjects import Family
from worker.providers.builtin.phrase import Phrase, Rows, find, found, nouns_of, parse

_RULERS: Final = ("king", "queen")
_MATERIAL_WORDS: Final = [(name, english, chinese) for name, _, english, chinese in MATERIALS]
_ELEMENT_WORDS: Final = [(name, english, chinese) for name, _, english, chinese in ELEMENTS]
#: What the classes hold.
_TOOLS: Final = {
    "knight": "sword",
    "wizard": "staff",
    "witch": "wand",
    "necromancer": "staff",
    "archer": "bow",
    "rogue": "dagger",
    "ninja": "dagger",
    "pirate": "sword",
    "priest": "staff",
    "viking": "axe",
    "samurai": "sword",
}


@dataclass(frozen=True, slots=True)
class Part:
    """What the words say of a part of the subject: its colour, if any, and its materials."""

    color: str | None = None
    materials: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """The meaning of a subject and a style, as far as it is understood."""

    #: The subject in one spelling: NFKC, case folded, spaces joined.
    text: str
    kind: str
    family: Family
    #: Whether a word of the subject named the kind.
    recognised: bool
    #: Colours said of the subject itself, in order.
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
    #: What goes with the subject, by role: "hair", "hat", "weapon" ...
    worn: Mapping[str, Part] = field(default_factory=dict)
    #: Roles that must not be seen.
    absent: frozenset[str] = frozenset()
    female: bool = False
    old: bool = False
    hairdo: str | None = None
    #: The only colours allowed by the words, when they ask for two or four.
    tones: tuple[str, ...] = ()

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


def _named(text: str, rows: Rows) -> list[str]:
    """Return the names of the rows whose words are in the text, in the order of the text, longest words first."""
    return list(dict.fromkeys(name for _, _, name in found(text, rows)))


def _has(text: str, words: Sequence[str]) -> bool:
    return bool(find(text, words))


@dataclass(slots=True)
class _Share:
    """The qualities of one noun, as they are found."""

    colors: list[str]
    materials: list[str]
    elements: list[str]


def _shares(phrase: Phrase) -> tuple[_Share, dict[str, _Share]]:
    """Deal colours, materials and elements out to the main subject and, by role, to what goes with it."""
    own = _Share([], [], [])
    parts = {noun.role: _Share([], [], []) for noun in phrase.others() if noun is not phrase.calling}
    worn = [noun for noun in phrase.nouns if noun.part]
    # The first half of a word for frogs is no colour, of one for pirates no water.
    alive = [noun for noun in phrase.nouns if noun.entry and noun.entry.family in (Family.PERSON, Family.CREATURE)]
    for name, rows in (("colors", COLORS), ("materials", _MATERIAL_WORDS), ("elements", _ELEMENT_WORDS)):
        for start, end, value in found(phrase.text, rows):
            if name != "colors" and any(noun.start <= start and end <= noun.end for noun in worn):
                # The first half of a word for skin is no leather, fair hair no metal.
                continue
            if any(noun.start <= start and end <= noun.end and not noun.part for noun in alive):
                continue
            owner = phrase.owner(start, end)
            share = own if owner is None else parts.get(owner.role, own)
            values: list[str] = getattr(share, name)
            if value not in values:
                values.append(value)
    return own, parts


def _worn(parts: Mapping[str, _Share]) -> dict[str, Part]:
    """Return what goes with the subject, by role."""
    colors = {name: color for name, color, _, _ in (*MATERIALS, *ELEMENTS)}
    result = {}
    for role, share in parts.items():
        options = [*share.colors, *(colors[name] for name in (*share.materials, *share.elements))]
        result[role] = Part(options[0] if options else None, tuple(share.materials))
    return result


def _held(phrase: Phrase) -> str | None:
    """Return what is held by the words, or what a class holds."""
    for noun in phrase.others():
        if noun.role == "weapon" and noun.entry:
            return noun.entry.kind
    calling = phrase.calling
    return _TOOLS.get(calling.entry.kind) if calling and calling.entry else None


@lru_cache(maxsize=256)
def read(subject: str, style: Style, negative: str = "") -> Reading:
    """Understand a subject, its style and what must not be seen. The subject's words outrank the style's."""
    text = fold(subject)
    manner = fold(f"{style.art_style} {style.mood} {style.perspective}")
    phrase = parse(text)
    head = phrase.head.entry if phrase.head else None
    own, parts = _shares(phrase)
    worn = _worn(parts)
    if head and head.family in (Family.ITEM, Family.PROP) and own.colors:
        # A golden sword with a red gem: a thing's second colour is that of its detail.
        own.colors += [part.color for part in worn.values() if part.color and part.color not in own.colors]
    absent = phrase.absent | {noun.role for noun in nouns_of(fold(negative))} - _needed(phrase)
    others = [noun.entry.kind for noun in phrase.others() if noun.entry]
    moods = _named(text, MOODS) + _named(manner, MOODS)
    arts = _named(manner, ART_STYLES) + _named(text, ART_STYLES)
    hours = _named(f"{text} {manner}", [(name, words, ()) for name, words in NIGHT_WORDS.items()])
    hair = [name for name, words in HAIRDOS.items() if _has(text, words)]
    if "hair" in worn and not hair and _has(text, ("long",)):
        hair = ["long"]
    return Reading(
        text=text,
        kind=head.kind if head else "emblem",
        family=head.family if head else Family.EMBLEM,
        recognised=head is not None,
        colors=tuple(own.colors),
        materials=tuple(own.materials),
        elements=tuple(own.elements),
        mood=moods[0] if moods else "",
        art=arts[0] if arts else "pixel",
        held=None if "weapon" in absent else _held(phrase),
        crowned="crown" not in absent and any(kind in (*_RULERS, "crown") for kind in others),
        places=tuple(_named(text, PLACES)),
        hour=hours[0] if hours else "",
        terrains=tuple(_named(text, [(name, en, zh) for name, en, zh, _ in TERRAINS])),
        part=next(iter(_named(text, PARTS)), None),
        frame=next(iter(_named(f"{text} {manner}", FRAMES)), None),
        worn=worn,
        absent=frozenset(absent),
        female=_has(text, FEMALE_WORDS),
        old=_has(text, OLD_WORDS),
        hairdo=hair[0] if hair else None,
        tones=_tones(text, manner),
    )


def _needed(phrase: Phrase) -> set[str]:
    """Return the roles that cannot be left out: the subject itself."""
    return {phrase.head.role} if phrase.head else set()


def _tones(text: str, manner: str) -> tuple[str, ...]:
    """Return the few colours that the words allow, or none: any colour."""
    for name, english, chinese, colors in FEW_TONES:
        # A black and white cat is a matter of its fur, unless the style says so.
        if _has(manner, (*english, *chinese)) or (name != "plain" and _has(text, (*english, *chinese))):
            return colors
    return ()
