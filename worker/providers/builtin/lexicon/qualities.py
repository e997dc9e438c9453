"""Colours, materials, elements, moods and art styles, with the words that name them."""

from collections.abc import Mapping
from typing import Final

#: Colour, its English words, its Chinese words.
COLORS: Final[tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]] = (
    ("#c8323a", ("red", "crimson", "scarlet", "ruby"), ("红色", "红", "赤", "绯")),
    ("#e8792e", ("orange",), ("橙色", "橙", "橘")),
    ("#f0c53c", ("yellow", "golden", "gold", "amber", "blonde", "blond"), ("黄色", "黄", "金色", "金")),
    ("#4fa63c", ("green", "emerald"), ("绿色", "绿", "翠")),
    ("#9ccc3c", ("lime", "chartreuse"), ("青柠", "草绿")),
    ("#2f9c95", ("teal", "turquoise"), ("青色", "青", "蓝绿")),
    ("#4cc8e0", ("cyan", "aqua", "sky blue", "light blue"), ("天蓝", "浅蓝", "水蓝")),
    ("#3a68c8", ("blue", "azure", "sapphire", "cobalt"), ("蓝色", "蓝")),
    ("#2e3f80", ("navy", "indigo", "dark blue"), ("深蓝", "靛")),
    ("#8a4cc0", ("purple", "violet", "amethyst"), ("紫色", "紫")),
    ("#d34fb0", ("magenta", "fuchsia"), ("品红", "洋红")),
    ("#f08cb0", ("pink", "rose"), ("粉色", "粉红", "粉")),
    ("#8a5a34", ("brown", "chestnut"), ("棕色", "棕", "褐")),
    ("#eeeae0", ("white", "ivory", "pale"), ("白色", "白")),
    ("#8c909c", ("gray", "grey"), ("灰色", "灰")),
    ("#34343e", ("black", "ebony"), ("黑色", "黑")),
    ("#c6ccd8", ("silver",), ("银色", "银")),
)
#: Material, its colour, its English words, its Chinese words.
MATERIALS: Final[tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...]] = (
    ("iron", "#9aa2b2", ("iron", "steel", "metal", "metallic"), ("铁", "钢", "金属")),
    ("gold", "#edb93a", ("gold", "golden"), ("金", "黄金")),
    ("silver", "#c8d0de", ("silver", "platinum", "mithril"), ("银", "秘银")),
    ("bronze", "#b9763c", ("bronze", "copper", "brass"), ("铜", "青铜", "黄铜")),
    ("wood", "#9a6538", ("wood", "wooden", "oak"), ("木", "木头")),
    ("stone", "#8a8c94", ("stone", "rocky", "marble"), ("石", "石头", "岩")),
    ("crystal", "#74d4f2", ("crystal", "crystalline", "glass", "diamond"), ("水晶", "玻璃", "钻石")),
    ("bone", "#e6dcc0", ("bone",), ("骨",)),
    ("leather", "#8c5630", ("leather",), ("皮革", "皮")),
    ("obsidian", "#46386a", ("obsidian", "onyx"), ("黑曜石",)),
    ("rust", "#a0552f", ("rusty", "rusted"), ("生锈", "锈")),
    ("jade", "#4fae82", ("jade",), ("玉", "翡翠")),
)
#: Element, its colour, its English words, its Chinese words.
ELEMENTS: Final[tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...]] = (
    (
        "fire",
        "#e8552a",
        ("fire", "flame", "flaming", "lava", "magma", "burning", "fiery", "inferno"),
        ("火", "炎", "熔岩", "燃烧"),
    ),
    ("ice", "#8fd8f4", ("ice", "frost", "frozen", "icy", "snow", "winter"), ("冰", "霜", "雪", "寒")),
    ("poison", "#86c232", ("poison", "toxic", "acid", "venom"), ("毒", "酸")),
    ("lightning", "#f4dc4c", ("lightning", "thunder", "electric", "storm"), ("雷", "电", "闪电")),
    ("water", "#3f94d8", ("water", "ocean", "aquatic", "sea"), ("水", "海")),
    ("nature", "#5aa63c", ("nature", "forest", "leafy", "grass"), ("自然", "森林", "草")),
    ("shadow", "#58407c", ("shadow", "void", "cursed", "corrupted"), ("暗影", "虚空", "诅咒")),
    ("holy", "#f4e08c", ("holy", "light", "divine", "sacred"), ("神圣", "圣光", "圣")),
    ("health", "#d8364a", ("health", "healing", "life", "hp"), ("生命", "治疗", "血")),
    ("mana", "#3c6ce0", ("mana", "magic", "arcane", "mp"), ("魔力", "法力", "蓝量")),
)
#: Mood, its English words, its Chinese words.
MOODS: Final[tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]] = (
    ("dark", ("dark", "grim", "gloomy", "sinister", "evil", "gritty"), ("黑暗", "阴暗", "邪恶", "阴沉")),
    (
        "spooky",
        ("spooky", "scary", "haunted", "horror", "creepy", "eerie", "halloween"),
        ("恐怖", "诡异", "阴森", "闹鬼", "可怕"),
    ),
    (
        "cheerful",
        ("cheerful", "bright", "happy", "colorful", "colourful", "vibrant", "playful", "fun"),
        ("明亮", "欢乐", "鲜艳", "快乐", "欢快"),
    ),
    ("cute", ("cute", "kawaii", "adorable", "chibi", "sweet"), ("可爱", "萌", "甜美")),
    (
        "calm",
        ("calm", "peaceful", "serene", "cozy", "soft", "pastel", "dreamy"),
        ("平静", "宁静", "温馨", "柔和", "梦幻"),
    ),
    ("retro", ("retro", "vintage", "sepia", "nostalgic"), ("复古", "怀旧")),
)
#: Art style, its English words, its Chinese words.
ART_STYLES: Final[tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]] = (
    ("chunky", ("8-bit", "8 bit", "8bit", "nes", "game boy", "gameboy", "lo-fi", "low-res"), ("8位", "红白机")),
    ("flat", ("flat", "vector", "minimalist", "minimal", "geometric"), ("扁平", "矢量", "极简")),
    (
        "painted",
        ("hand-painted", "hand painted", "painted", "painterly", "watercolor", "watercolour", "oil", "realistic"),
        ("手绘", "水彩", "油画", "写实"),
    ),
    (
        "cartoon",
        ("cartoon", "comic", "cel-shaded", "cel shaded", "anime", "toon", "ink"),
        ("卡通", "漫画", "动漫", "动画"),
    ),
    ("pixel", ("pixel", "16-bit", "16 bit", "32-bit", "sprite", "snes"), ("像素", "16位")),
)
#: Manner of few colours, its English words, its Chinese words, its colours.
FEW_TONES: Final[tuple[tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...]] = (
    ("gameboy", ("gameboy", "game boy"), ("掌机",), ("#0f2f1c", "#30623a", "#8bac2c", "#d0e070")),
    ("bit", ("1-bit", "1 bit", "1bit", "monochrome"), ("1位", "单色"), ("#141218", "#f4f2ea")),
    ("plain", ("black and white", "black & white", "b&w"), ("黑白",), ("#141218", "#f4f2ea")),
)
NIGHT_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "night": ("night", "midnight", "moonlit", "moonlight", "starry", "夜", "夜晚", "月光", "星空", "午夜"),
    "sunset": ("sunset", "dusk", "evening", "twilight", "日落", "黄昏", "傍晚", "夕阳"),
    "dawn": ("dawn", "sunrise", "morning", "清晨", "日出", "黎明", "早晨"),
    "storm": ("storm", "stormy", "rain", "rainy", "暴风雨", "雨"),
    "day": ("day", "noon", "sunny", "白天", "正午", "晴天"),
}
