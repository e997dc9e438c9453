"""Parts of somebody that words may colour, add or leave out, and the words that bind nouns to each other."""

from collections.abc import Mapping
from typing import Final

#: Part, its English words, its Chinese words.
ATTIRE: Final[tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]] = (
    (
        "hair",
        ("hair", "haired", "ponytail", "braid"),
        ("头发", "长发", "短发", "卷发", "马尾", "辫子", *(f"{color}发" for color in "红金白黑绿蓝紫银棕粉橙灰黄")),
    ),
    ("beard", ("beard", "bearded", "mustache", "moustache"), ("胡子", "胡须", "大胡子")),
    ("eyes", ("eyes", "eyed"), ("眼睛", "眼")),
    ("skin", ("skin", "skinned"), ("皮肤",)),
    ("hat", ("hat", "cap"), ("帽子", "帽")),
    ("helmet", ("helmet", "helm"), ("头盔",)),
    ("hood", ("hood", "hooded"), ("兜帽",)),
    ("crown", ("crown", "tiara"), ("王冠", "皇冠")),
    ("armor", ("armor", "armour", "armored", "armoured", "breastplate"), ("盔甲", "铠甲", "护甲", "胸甲")),
    ("robe", ("robe",), ("长袍", "袍子", "法袍")),
    (
        "clothes",
        ("clothes", "clothing", "dress", "shirt", "tunic", "coat", "jacket", "outfit", "gown", "uniform"),
        ("衣服", "裙子", "外套", "上衣", "制服", "衣", "裙"),
    ),
    ("trousers", ("trousers", "pants"), ("裤子",)),
    ("boots", ("boots", "boot", "shoes"), ("靴子", "鞋")),
    ("cape", ("cape", "cloak"), ("披风", "斗篷")),
    ("shield", ("shield", "buckler"), ("盾", "盾牌")),
    ("wings", ("wings", "winged"), ("翅膀",)),
    ("eyepatch", ("eyepatch", "eye patch"), ("眼罩",)),
    ("backpack", ("backpack", "rucksack"), ("背包",)),
    ("scarf", ("scarf",), ("围巾",)),
)
#: Words for a cut of hair.
HAIRDOS: Final[Mapping[str, tuple[str, ...]]] = {
    "long": ("long hair", "long-haired", "long haired", "长发"),
    "pony": ("ponytail", "braid", "马尾", "辫子"),
    "short": ("short hair", "short-haired", "short haired", "短发"),
    "spiky": ("spiky hair", "spiky-haired", "刺猬头"),
    "bald": ("bald", "hairless", "光头", "秃头"),
}
FEMALE_WORDS: Final = (
    *("female", "woman", "women", "girl", "lady", "princess", "queen", "priestess", "sorceress", "heroine", "empress"),
    *("witch", "maid", "nun", "valkyrie", "she", "her", "grandmother", "grandma", "女", "公主", "王后", "她", "奶奶"),
)
OLD_WORDS: Final = (
    *("old", "elderly", "ancient", "grandfather", "grandpa", "grandmother", "grandma", "老人", "老爷爷", "爷爷"),
    *("老头", "老奶奶", "奶奶", "年老"),
)
#: What follows these English words is something that goes with the main subject.
ASIDE_WORDS: Final = (
    *("with", "holding", "wielding", "carrying", "wearing", "riding", "on", "in", "at", "near", "under", "inside"),
    *("from", "for", "who", "that", "against", "surrounded", "beside", "made", "of", "breathing", "spitting", "has"),
    *("having", "whose", "which", "dressed", "clad", "wrapped", "covered", "using", "swinging", "raising", "eating"),
    *("drinking", "reading", "casting", "shooting", "throwing", "sitting", "standing", "flying over", "fighting"),
    *("guarding", "over", "behind", "above", "below", "between", "to", "by", "into", "through", "before"),
)
WITHOUT_WORDS: Final = ("without", "no", "lacking")
JOINING: Final = ("and", "&", "和", "与", "、")
SIGNS: Final = (",", ".", ";", ":", "(", ")", "。", "!", "?")
#: Chinese verbs whose object goes with the main subject.
VERBS: Final = "戴穿拿持骑带举抱握披喷吐在背挥用坐吃喝"
WITHOUT_VERBS: Final = ("没有", "没", "无", "不戴", "不穿", "不拿", "不带")
#: Between a noun and the colour said of it.
COPULAS: Final = ("is", "are", "是", "为")
