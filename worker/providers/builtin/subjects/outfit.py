"""What the classes of people wear and carry."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from worker.providers.builtin.look import CLOTHS, HAIRS, SKINS


@dataclass(frozen=True, slots=True)
class Outfit:
    """Draw a class of people. Tuples are options that the seed chooses from."""

    skin: tuple[str, ...] = SKINS
    hair: tuple[str, ...] = HAIRS
    hairdo: tuple[str, ...] = ("short", "spiky")
    hat: tuple[str, ...] = ("none",)
    beard: float = 0.0
    ears: str = ""
    cloth: tuple[str, ...] = CLOTHS
    #: Second colour: trousers, trims, capes.
    trim: tuple[str, ...] = ("#4a4660", "#6a4a38", "#3c5068", "#7a6a52")
    boots: tuple[str, ...] = ("#6b4228", "#4a3a44", "#54483c")
    torso: str = "tunic"
    robe: bool = False
    cape: float = 0.0
    pauldrons: bool = False
    held: tuple[str, ...] = ("none",)
    shield: float = 0.0
    eyes: str = "dots"
    #: Bulk of the body and size of the head.
    wide: float = 1.0
    tall: float = 1.0
    extras: frozenset[str] = frozenset()


_GREENS: Final = ("#6fae48", "#5c9a50", "#86b43e")
_BONE: Final = ("#e8e0c8",)
OUTFITS: Final[Mapping[str, Outfit]] = {
    "knight": Outfit(
        hat=("helm", "open-helm", "great-helm"),
        torso="plate",
        pauldrons=True,
        cape=0.6,
        held=("sword",),
        shield=0.75,
        boots=("#7c8598",),
    ),
    "wizard": Outfit(
        hat=("pointy",),
        hair=("#e8e6e4", "#c8ccd4", "#5a3420"),
        beard=0.75,
        robe=True,
        torso="robe",
        held=("staff",),
        hairdo=("long",),
        cloth=("#4a54b8", "#7a3fa8", "#2f7f8c", "#a83a4c"),
    ),
    "witch": Outfit(
        hat=("pointy",),
        hairdo=("long",),
        hair=("#e8792e", "#6a3fa0", "#2c2430", "#58a048"),
        robe=True,
        torso="robe",
        held=("wand", "staff"),
        cloth=("#4a3a6a", "#38343f", "#5c2f5c"),
    ),
    "necromancer": Outfit(
        hat=("deep-hood",),
        robe=True,
        torso="robe",
        held=("staff",),
        cloth=("#3a3448", "#4a2f4a", "#2f3f3c"),
        eyes="glow",
        skin=("#b8b4a8",),
    ),
    "archer": Outfit(
        hat=("hood", "feather-cap"),
        cape=0.7,
        held=("bow",),
        cloth=("#4c7a3a", "#5f6f34", "#7a5a34", "#2f6f5c"),
        torso="vest",
    ),
    "rogue": Outfit(
        hat=("hood",),
        cape=0.5,
        held=("dagger",),
        cloth=("#4a4a5c", "#5c3a4a", "#3a4a4a", "#6a3038"),
        torso="vest",
        extras=frozenset({"scarf"}),
    ),
    "ninja": Outfit(
        hat=("ninja",),
        held=("dagger", "sword"),
        cloth=("#343848", "#4a2f3a", "#2f3f5a"),
        trim=("#c8323a", "#3a8ac8", "#8f96a4"),
        torso="gi",
        boots=("#2f3038",),
        extras=frozenset({"scarf"}),
    ),
    "king": Outfit(
        hat=("crown",),
        beard=0.85,
        cape=1.0,
        held=("none", "staff"),
        cloth=("#8a2f3c", "#5a3a9a", "#2f5aa0"),
        torso="royal",
        trim=("#f0e6d8",),
        hair=("#d8d4cc", "#8a5228", "#5a3420"),
        wide=1.08,
    ),
    "queen": Outfit(
        hat=("crown",),
        hairdo=("long", "pony"),
        robe=True,
        torso="dress",
        cloth=("#c23b7c", "#5a5ac8", "#3f9a8c", "#d8a0c0"),
        eyes="lashes",
        hair=("#d8a84c", "#5a3420", "#b8482c", "#2c2430"),
    ),
    "villager": Outfit(
        hat=("none", "straw", "none"),
        hairdo=("short", "spiky"),
        beard=0.2,
        torso="apron",
        cloth=("#b8864c", "#6a8a4c", "#a85a44", "#5a7a9a"),
        held=("none",),
    ),
    "girl": Outfit(hairdo=("long", "pony"), robe=True, torso="dress", eyes="lashes", hat=("none", "bow")),
    "pirate": Outfit(
        hat=("tricorn", "bandana"),
        beard=0.5,
        held=("sword",),
        torso="coat",
        cloth=("#a8323c", "#34507c", "#4a3a4a"),
        eyes="patch",
    ),
    "zombie": Outfit(
        skin=("#8aa86a", "#7c9a86", "#98a878"),
        hairdo=("wild", "bald"),
        hair=("#3a3a34", "#54503c"),
        torso="rags",
        eyes="uneven",
        cloth=("#6a5a6a", "#5a6a7a", "#7a5a48"),
        trim=("#4a4a54",),
        extras=frozenset({"reach"}),
    ),
    "vampire": Outfit(
        skin=("#dcd4e0",),
        hairdo=("slick",),
        hair=("#26222e",),
        cape=1.0,
        torso="suit",
        cloth=("#3a3644",),
        trim=("#a81f34",),
        eyes="red",
        extras=frozenset({"collar", "fangs"}),
    ),
    "elf": Outfit(
        hairdo=("long",),
        hair=("#e8d08a", "#d8d8e0", "#a8c878"),
        ears="elf",
        cape=0.6,
        held=("bow", "staff", "sword"),
        torso="vest",
        cloth=("#4f9a5c", "#3f8f8c", "#8a9a3c"),
        hat=("circlet",),
    ),
    "dwarf": Outfit(
        hat=("viking", "open-helm", "none"),
        beard=1.0,
        hair=("#b8582c", "#8a5228", "#d8a84c"),
        held=("hammer", "axe", "pickaxe"),
        torso="vest",
        wide=1.22,
        tall=0.84,
        cloth=("#7a4a34", "#4a6a8a", "#6a3a3a"),
    ),
    "skeleton": Outfit(
        skin=_BONE,
        hairdo=("bald",),
        torso="ribs",
        held=("sword", "dagger", "axe"),
        eyes="skull",
        shield=0.3,
        trim=_BONE,
        boots=_BONE,
    ),
    "goblin": Outfit(
        skin=_GREENS,
        hairdo=("bald",),
        ears="goblin",
        torso="vest",
        held=("dagger", "spear", "axe"),
        cloth=("#8a5a34", "#6a4a5a"),
        tall=0.86,
        eyes="yellow",
        extras=frozenset({"fangs"}),
    ),
    "orc": Outfit(
        skin=("#5f8f4a", "#6a8a5a", "#7a9a48"),
        hairdo=("mohawk", "bald", "pony"),
        hair=("#2c2430", "#5a3420"),
        ears="small",
        torso="harness",
        held=("axe", "hammer"),
        wide=1.2,
        pauldrons=True,
        extras=frozenset({"tusks"}),
        eyes="brows",
    ),
    "priest": Outfit(
        hat=("mitre", "veil"),
        robe=True,
        torso="robe",
        cloth=("#efe8dc", "#e8d8b8"),
        trim=("#e0b040", "#4a6ac0"),
        held=("staff",),
        hairdo=("short",),
    ),
    "viking": Outfit(
        hat=("viking",),
        beard=0.95,
        hair=("#d8a84c", "#b8582c", "#8a5228"),
        torso="harness",
        held=("axe",),
        shield=0.6,
        wide=1.12,
        cape=0.4,
    ),
    "samurai": Outfit(
        hat=("kabuto",),
        torso="plate",
        pauldrons=True,
        held=("sword",),
        cloth=("#a82f34", "#2f3f6a", "#3f3a44"),
        trim=("#e0b040",),
    ),
    "demon": Outfit(
        skin=("#c83a3c", "#a8324c", "#8a3a8a"),
        hairdo=("bald", "spiky"),
        hair=("#2c2430",),
        ears="goblin",
        hat=("horns",),
        torso="harness",
        held=("spear", "none"),
        eyes="yellow",
        extras=frozenset({"fangs", "tail", "bat-wings"}),
    ),
    "angel": Outfit(
        hat=("halo",),
        hairdo=("long", "short"),
        hair=("#f0d88a", "#e8e0d0"),
        robe=True,
        torso="robe",
        cloth=("#f4f0e8",),
        trim=("#e9b23a",),
        extras=frozenset({"wings"}),
        held=("none", "sword"),
    ),
    "astronaut": Outfit(
        hat=("space-helm",),
        torso="spacesuit",
        cloth=("#e8e8ec",),
        trim=("#e8792e", "#3a68c8"),
        boots=("#c8ccd4",),
        held=("none", "gun"),
        extras=frozenset({"pack"}),
        wide=1.1,
    ),
}
