"""What an animation's name allows its figure to do."""

import re
from typing import Final

#: Beginnings of English words, and Chinese words: the figure comes, goes or falls apart.
_VANISHING: Final = ("death", "die", "dead", "dying", "spawn", "vanish", "appear", "disappear", "explo", "teleport")
_VANISHING_CHINESE: Final = ("死", "消失", "出现", "爆", "传送")
#: It may light up or change colour for a moment.
_FLASHING: Final = ("hurt", "hit", "damage", "flash", "cast", "spell", "magic", "charge", "heal", "glow")
_FLASHING_CHINESE: Final = ("受伤", "受击", "闪", "施法", "魔法")
#: It moves suddenly and far.
_LEAPING: Final = (
    *("attack", "strike", "slash", "swing", "stab", "punch", "kick", "lunge", "charge", "dash", "roll", "bite"),
    *("jump", "leap", "hop", "fall", "land", "dodge", "knock", "hurt", "hit", "fly", "climb"),
)
_LEAPING_CHINESE: Final = ("攻击", "砍", "刺", "打", "跳", "冲", "闪避", "翻滚", "飞", "摔")
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD: Final = re.compile(r"[a-z]+")


def may_vanish(name: str) -> bool:
    """Tell whether the figure may be small, or gone, in some frames."""
    return _says(name, _VANISHING, _VANISHING_CHINESE)


def may_flash(name: str) -> bool:
    """Tell whether its colours may change."""
    return may_vanish(name) or _says(name, _FLASHING, _FLASHING_CHINESE)


def may_leap(name: str) -> bool:
    """Tell whether it may move far from one frame to the next, and swing something large."""
    return may_vanish(name) or _says(name, _LEAPING, _LEAPING_CHINESE)


def _says(name: str, beginnings: tuple[str, ...], chinese: tuple[str, ...]) -> bool:
    """Compare beginnings of words, not any part of them: "white" is no hit, and a "soldier" does not die."""
    words = _WORD.findall(_HUMP.sub(" ", name).casefold())
    return any(word.startswith(beginnings) for word in words) or any(part in name for part in chinese)
