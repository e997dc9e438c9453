"""Looks of things that are far away or in the light of an hour."""

from worker.providers.builtin.chance import Chance
from worker.providers.builtin.color import mix
from worker.providers.builtin.ink import Ink, InkBook, Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.reading import Reading


class HazyLook(Look):
    """A look whose colours are drawn towards the light of the hour and the haze of the distance."""

    def __init__(
        self, reading: Reading, book: InkBook, chance: Chance, *, light: str, lit: float, haze: str, hazy: float
    ) -> None:
        self._light, self._lit, self._haze, self._hazy = light, lit, haze, hazy
        super().__init__(reading, book, chance)
        self.dark = self.ink("#2a2232", Surface.FLAT)
        self.white = self.ink("#f6f2ea", Surface.FLAT)
        self.wood = self.ink("#8f5e36")
        self.gold = self.ink("#e9b23a", Surface.METAL)
        self.leather = self.ink("#7d4e2e")
        self.red = self.ink("#d03c48", Surface.FLAT)

    def ink(self, color: str, surface: Surface = Surface.CLOTH) -> Ink:
        """Return the ink of a colour as it looks from here."""
        return super().ink(mix(mix(color, self._light, self._lit), self._haze, self._hazy), surface)
