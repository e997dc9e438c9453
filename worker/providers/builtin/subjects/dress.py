"""The inks and choices of one person."""

from dataclasses import dataclass

from worker.providers.builtin.ink import Ink, Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.subjects.outfit import OUTFITS, Outfit


@dataclass(frozen=True, slots=True)
class Dress:
    """What somebody wears, chosen from the class, the words and the seed."""

    outfit: Outfit
    skin: Ink
    hair: Ink
    cloth: Ink
    trim: Ink
    boots: Ink
    metal: Ink
    hairdo: str
    hat: str
    held: str
    bearded: bool


def dress_of(look: Look) -> Dress:
    """Choose what somebody wears."""
    outfit = OUTFITS.get(look.reading.kind, OUTFITS["villager"])
    plated = outfit.torso == "plate"
    # Those whose skin is their colour: a blue goblin is a goblin with blue skin.
    monster = outfit.ears in ("goblin", "small")
    skin = look.color(0, "skin", outfit.skin) if monster else look.pick("skin", outfit.skin)
    return Dress(
        outfit=outfit,
        skin=look.ink(skin, Surface.SKIN),
        hair=look.ink(look.pick("hair", outfit.hair)),
        cloth=look.tone(1 if monster else 0, "cloth", outfit.cloth),
        trim=look.tone(2 if monster else 1, "trim", outfit.trim),
        boots=look.ink(look.pick("boots", outfit.boots), Surface.METAL if plated else Surface.CLOTH),
        metal=_armor(look),
        hairdo=look.pick("hairdo", outfit.hairdo),
        hat=look.pick("hat", outfit.hat),
        held=look.reading.held or look.pick("held", outfit.held),
        bearded=look.has("beard", outfit.beard),
    )


def _armor(look: Look) -> Ink:
    """Return steel, or what the words say: a golden, a wooden, a black knight."""
    named = look.reading.tone()[:1]
    if look.reading.materials:
        return look.metal("armor")
    if (
        named
        and look.reading.kind in ("knight", "samurai")
        and look.reading.colors[:1] in (("#34343e",), ("#eeeae0",), ("#8c909c",))
    ):
        return look.ink(named[0], Surface.METAL)
    return look.ink(look.pick("steel", ("#a6b0c4", "#b4b8c4", "#8f9cb4")), Surface.METAL)
