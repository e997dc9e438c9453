"""The inks and choices of one person."""

from dataclasses import dataclass, replace
from typing import Final

from worker.providers.builtin.ink import Ink, Surface
from worker.providers.builtin.look import Look
from worker.providers.builtin.subjects.outfit import OUTFITS, Outfit

#: Hats that hide hair and ears.
COVERING: Final = frozenset({"helm", "great-helm", "hood", "deep-hood", "ninja", "space-helm", "veil"})


@dataclass(frozen=True, slots=True)
class Dress:
    """What somebody wears, chosen from the class, the words and the seed."""

    outfit: Outfit
    skin: Ink
    hair: Ink
    beard: Ink
    cloth: Ink
    trim: Ink
    boots: Ink
    metal: Ink
    #: What the hat is made of, of cloth or of metal.
    hat_cloth: Ink
    hat_metal: Ink
    cape: Ink | None
    trousers: Ink | None
    #: The colour of the eyes, where the words name one.
    iris: Ink | None
    hairdo: str
    hat: str
    held: str
    bearded: bool
    shielded: bool


_WHITE_HAIR: Final = "#dcdcd8"
#: Hats that count as such; everything else on a head is a helmet, an ornament or nothing.
_HATS: Final = frozenset({"pointy", "tricorn", "bandana", "straw", "feather-cap", "mitre"})
_HELMETS: Final = frozenset({"helm", "great-helm", "open-helm", "kabuto", "viking", "space-helm"})


def dress_of(look: Look) -> Dress:
    """Choose what somebody wears."""
    reading = look.reading
    outfit = _outfit(look)
    plated = outfit.torso == "plate"
    # Those whose skin is their colour: a blue goblin is a goblin with blue skin.
    monster = outfit.ears in ("goblin", "small")
    skin = look.color(0, "skin", outfit.skin) if monster else look.pick("skin", outfit.skin)
    cloth = look.part("clothes") or look.part("robe") or look.tone(1 if monster else 0, "cloth", outfit.cloth)
    trim = look.tone(2 if monster else 1, "trim", outfit.trim)
    metal = _armor(look)
    hat = _hat(look, outfit)
    boots = look.ink(look.pick("boots", outfit.boots), Surface.METAL if plated else Surface.CLOTH)
    caped = "cape" not in reading.absent and ("cape" in reading.worn or look.has("cape", outfit.cape))
    hat_color = next((name for name in ("hat", "helmet", "hood") if look.part(name)), "hat")
    return Dress(
        outfit=outfit,
        skin=look.part("skin", Surface.SKIN) or look.ink(skin, Surface.SKIN),
        hair=look.part("hair") or look.part("beard") or _hair(look, outfit),
        beard=look.part("beard") or look.part("hair") or _hair(look, outfit),
        cloth=cloth,
        trim=trim,
        boots=look.part("boots") or boots,
        metal=metal,
        hat_cloth=look.part(hat_color) or cloth,
        hat_metal=look.part(hat_color, Surface.METAL) or metal,
        cape=(look.part("cape") or (cloth if outfit.torso == "royal" else trim)) if caped else None,
        trousers=look.part("trousers"),
        iris=look.part("eyes", Surface.FLAT),
        hairdo=reading.hairdo or look.pick("hairdo", outfit.hairdo),
        hat=hat,
        held=_held(look, outfit),
        bearded=_bearded(look, outfit),
        shielded="shield" not in reading.absent
        and ("shield" in reading.worn or (look.has("shield", outfit.shield) and reading.held not in _TWO_HANDED)),
    )


_TWO_HANDED: Final = frozenset({"bow", "staff", "gun"})


def _outfit(look: Look) -> Outfit:
    """Return the class's outfit with what the words add to it or take from it."""
    reading = look.reading
    outfit = OUTFITS.get(reading.kind, OUTFITS["villager"])
    extras = set(outfit.extras)
    if "wings" in reading.worn and "bat-wings" not in extras:
        extras.add("wings")
    extras |= {name for role, name in (("scarf", "scarf"), ("backpack", "pack")) if role in reading.worn}
    if "wings" in reading.absent:
        extras -= {"wings", "bat-wings"}
    outfit = replace(outfit, extras=frozenset(extras))
    if "armor" in reading.worn and outfit.torso != "ribs":
        outfit = replace(outfit, torso="plate", robe=False, pauldrons=True)
    elif "robe" in reading.worn and outfit.torso != "ribs":
        outfit = replace(outfit, torso="robe", robe=True)
    if "eyepatch" in reading.worn:
        outfit = replace(outfit, eyes="patch")
    elif "eyepatch" in reading.absent and outfit.eyes == "patch":
        outfit = replace(outfit, eyes="dots")
    if reading.female:
        hairdo = outfit.hairdo if "long" in outfit.hairdo else ("long", "pony")
        outfit = replace(
            outfit,
            hairdo=hairdo if outfit.eyes != "skull" else outfit.hairdo,
            eyes="lashes" if outfit.eyes == "dots" else outfit.eyes,
        )
    return outfit


def _hair(look: Look, outfit: Outfit) -> Ink:
    return look.ink(_WHITE_HAIR if look.reading.old else look.pick("hair", outfit.hair))


def _bearded(look: Look, outfit: Outfit) -> bool:
    reading = look.reading
    if "beard" in reading.absent:
        return False
    return "beard" in reading.worn or (not reading.female and look.has("beard", outfit.beard))


def _held(look: Look, outfit: Outfit) -> str:
    """Return what the hand holds: by the words, else by the class, unless it must not be seen."""
    if "weapon" in look.reading.absent:
        return "none"
    return look.reading.held or look.pick("held", outfit.held)


def _hat(look: Look, outfit: Outfit) -> str:
    """Return what is on the head: what the words name, else the class's, unless hair must be seen."""
    reading = look.reading
    usual = look.pick("hat", outfit.hat)
    hat = usual
    if "hood" in reading.worn:
        hat = usual if usual == "deep-hood" else "hood"
    elif "helmet" in reading.worn:
        hat = usual if usual in _HELMETS else "open-helm"
    elif "hat" in reading.worn:
        hat = usual if usual in _HATS else look.pick("any-hat", ("feather-cap", "pointy"))
    elif "crown" in reading.worn:
        hat = "crown"
    elif ("hair" in reading.worn or reading.hairdo) and usual in COVERING:
        hat = "none"
    role = "hat" if hat in _HATS else "helmet" if hat in _HELMETS else "hood" if hat in COVERING else hat
    return "none" if role in reading.absent else hat


def _armor(look: Look) -> Ink:
    """Return steel, or what the words say: a golden, a wooden, a black knight."""
    worn = look.reading.worn.get("armor")
    if worn and (worn.color or worn.materials):
        return look.about("armor").metal("armor")
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
