"""How one subject looks: its inks and traits, the same in every frame and asset that shows it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeVar

from worker.providers.builtin.chance import Chance
from worker.providers.builtin.color import shift
from worker.providers.builtin.ink import Ink, InkBook, Surface, Tint
from worker.providers.builtin.reading import Reading

T = TypeVar("T")

TINTS: Final = {
    "": Tint(),
    "dark": Tint(lightness=-0.07, chroma=0.80, hue=0.0),
    "spooky": Tint(lightness=-0.05, chroma=0.85, hue=8.0),
    "cheerful": Tint(lightness=0.02, chroma=1.16),
    "cute": Tint(lightness=0.05, chroma=1.0),
    "calm": Tint(lightness=0.05, chroma=0.78),
    "retro": Tint(lightness=-0.01, chroma=0.72, hue=-6.0),
}
SKINS: Final = ("#f2c9a0", "#e8b088", "#c98a5e", "#9a6240", "#f6d8b8")
HAIRS: Final = ("#5a3420", "#8a5228", "#d8a84c", "#2c2430", "#b8482c", "#d8d4cc", "#70442c")
CLOTHS: Final = ("#c23b3f", "#3b66b8", "#3f8f4c", "#7a4aa8", "#c9862c", "#2f8f8c", "#a83a6c", "#56607a")


class Look:
    """Inks and traits of a subject."""

    def __init__(self, reading: Reading, book: InkBook, chance: Chance, *, tiny: bool = False) -> None:
        self.reading = reading
        self.book = book
        self.chance = chance
        #: Whether the picture is so small that only large shapes can be told apart.
        self.tiny = tiny
        self.dark = book.ink("#2a2232", Surface.FLAT)
        self.white = book.ink("#f6f2ea", Surface.FLAT)
        #: How much lighter than usual this one is: no two alike.
        self.shade = chance.between("shade", -0.04, 0.04)
        self.wood = book.ink(shift("#8f5e36", lightness=self.shade))
        self.gold = book.ink(shift("#e9b23a", lightness=self.shade), Surface.METAL)
        self.leather = book.ink(shift("#7d4e2e", lightness=self.shade))
        self.red = book.ink("#d03c48", Surface.FLAT)

    def about(self, role: str) -> "Look":
        """Return the look of what goes with the subject: with the qualities that its words give it, if any."""
        part = self.reading.worn.get(role)
        if part is None or (part.color is None and not part.materials):
            return self
        colors = (part.color,) if part.color else ()
        reading = replace(self.reading, colors=colors, materials=part.materials, elements=())
        return Look(reading, self.book, self.chance, tiny=self.tiny)

    def part(self, role: str, surface: Surface = Surface.CLOTH) -> Ink | None:
        """Return the ink that the words give a part, if they do."""
        part = self.reading.worn.get(role)
        return self.ink(part.color, surface) if part and part.color else None

    def ink(self, color: str, surface: Surface = Surface.CLOTH) -> Ink:
        """Return the ink of a colour."""
        return self.book.ink(color, surface)

    def color(self, slot: int, name: str, options: Sequence[str]) -> str:
        """Return the words' colour number `slot`, else one of the options."""
        tone = self.reading.tone()
        return shift(tone[slot] if slot < len(tone) else self.chance.pick(name, options), lightness=self.shade)

    def tone(self, slot: int, name: str, options: Sequence[str], surface: Surface = Surface.CLOTH) -> Ink:
        """Return the ink of the words' colour number `slot`, else of one of the options."""
        return self.ink(self.color(slot, name, options), surface)

    def metal(self, name: str = "metal", options: Sequence[str] = ("#a9b2c4", "#b8bcc8", "#98a6b8")) -> Ink:
        """Return the ink of the material that the words name, else of steel."""
        materials = self.reading.materials
        color = self.reading.material_color()
        if color is None:
            named = self.reading.tone()
            return self.ink(named[0] if named else self.chance.pick(name, options), Surface.METAL)
        dull = materials[0] in ("wood", "stone", "bone", "leather")
        gem = materials[0] in ("crystal", "obsidian", "jade")
        return self.ink(color, Surface.CLOTH if dull else Surface.GEM if gem else Surface.METAL)

    def pick(self, name: str, options: Sequence[T]) -> T:
        """Return one of the options, by the subject's traits."""
        return self.chance.pick(name, options)

    def between(self, name: str, low: float, high: float) -> float:
        """Return a proportion, by the subject's traits."""
        return self.chance.between(name, low, high)

    def has(self, name: str, probability: float) -> bool:
        """Tell whether the subject has a trait that so many of its kind have."""
        return self.chance.chance(name, probability)
