"""Kinds of things, with the words that name them."""

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Family(Enum):
    """What draws a thing."""

    PERSON = "person"
    CREATURE = "creature"
    ITEM = "item"
    PROP = "prop"
    EMBLEM = "emblem"


@dataclass(frozen=True, slots=True)
class Entry:
    """One kind: its name, its family, and its words in both languages, the first being the usual one."""

    kind: str
    family: Family
    english: tuple[str, ...]
    chinese: tuple[str, ...]


def _entries(family: Family, rows: str) -> tuple[Entry, ...]:
    """Read one entry a line: kind: english words | Chinese words, each separated by commas."""
    result = []
    for row in rows.strip().splitlines():
        kind, words = row.split(":")
        english, chinese = words.split("|")
        result.append(
            Entry(
                kind.strip(),
                family,
                tuple(word.strip() for word in english.split(",")),
                tuple(word.strip() for word in chinese.split(",")),
            )
        )
    return tuple(result)


_PEOPLE: Final = """
knight: knight, paladin, soldier, guard, crusader, templar | 骑士, 圣骑士, 士兵, 守卫, 卫兵
knight: warrior, hero, heroine, fighter, swordsman, gladiator | 战士, 勇士, 英雄, 剑士, 武士
wizard: wizard, mage, sorcerer, sorceress, warlock, magician, conjurer | 法师, 巫师, 魔法师, 术士, 魔术师
witch: witch, hag | 女巫
necromancer: necromancer, cultist, lich | 死灵法师, 邪教徒, 巫妖
archer: archer, ranger, hunter, bowman, scout | 弓箭手, 弓手, 射手, 游侠, 猎人
rogue: rogue, thief, assassin, bandit, burglar | 盗贼, 小偷, 刺客, 强盗
ninja: ninja, shinobi | 忍者
king: king, emperor, monarch | 国王, 皇帝, 君王
queen: queen, princess, empress | 女王, 公主, 皇后, 王后
villager: villager, farmer, peasant, merchant, innkeeper, blacksmith, shopkeeper | 村民, 农民, 农夫, 商人, 铁匠
villager: child, boy, man, men, person, human, npc | 孩子, 男孩, 男人, 人类
villager: grandfather, grandpa | 老爷爷, 爷爷, 老人, 老头
girl: girl, woman, women, maid, lady, grandmother, grandma | 女孩, 少女, 女人, 女仆, 老奶奶, 奶奶
pirate: pirate, captain, buccaneer | 海盗, 船长
zombie: zombie, undead, ghoul | 僵尸, 丧尸, 亡灵, 食尸鬼
vampire: vampire, dracula | 吸血鬼
elf: elf, elves | 精灵
dwarf: dwarf, dwarves, gnome | 矮人, 侏儒
skeleton: skeleton, skeletal warrior | 骷髅, 骷髅兵
goblin: goblin, imp, kobold, gremlin | 哥布林, 地精, 小鬼
orc: orc, ogre, troll | 兽人, 食人魔, 巨魔
priest: priest, priestess, cleric, healer, monk, nun | 牧师, 祭司, 治疗师, 僧侣, 修女
viking: viking, barbarian, berserker | 维京人, 野蛮人, 狂战士
samurai: samurai, ronin | 武士刀客, 日本武士, 浪人
demon: demon, devil, satan | 恶魔, 魔鬼
angel: angel, valkyrie | 天使, 女武神
astronaut: astronaut, cosmonaut, spaceman | 宇航员, 太空人
robot: robot, android, mech, droid, cyborg, automaton | 机器人, 机甲, 机械人
golem: golem, rock monster, stone giant | 石头人, 魔像, 石像怪
"""
_CREATURES: Final = """
slime: slime, blob, jelly, ooze, gel | 史莱姆, 黏液怪, 果冻
ghost: ghost, spirit, phantom, wraith, specter, spectre | 幽灵, 鬼, 鬼魂, 幻影
bat: bat | 蝙蝠
dragon: dragon, wyvern, drake, wyrm | 龙, 飞龙, 巨龙
spider: spider, tarantula | 蜘蛛
mushroom: mushroom, fungus, toadstool, myconid | 蘑菇, 菇
wolf: wolf, werewolf, wolves, warg | 狼, 狼人
dog: dog, puppy, hound | 狗, 小狗, 犬
fox: fox | 狐狸
cat: cat, kitten, kitty | 猫, 小猫, 猫咪
lion: lion, tiger | 狮子, 老虎
bear: bear, panda | 熊, 熊猫
pig: pig, boar, piglet | 猪, 野猪
cow: cow, bull, ox | 牛, 奶牛, 公牛
sheep: sheep, lamb, goat | 羊, 绵羊, 山羊
horse: horse, unicorn, pony | 马, 独角兽
rabbit: rabbit, bunny, hare | 兔子, 兔
rat: rat, mouse, mice | 老鼠, 鼠
bird: bird, chick, sparrow, parrot, crow, raven, eagle, duck | 鸟, 雏鸟, 鹦鹉, 乌鸦, 鹰, 鸭
chicken: chicken, hen, rooster | 鸡, 母鸡, 公鸡
owl: owl | 猫头鹰
penguin: penguin | 企鹅
fish: fish, shark, goldfish, piranha, whale | 鱼, 鲨鱼, 金鱼, 鲸鱼
octopus: octopus, squid, kraken, jellyfish | 章鱼, 乌贼, 水母
crab: crab, lobster | 螃蟹, 蟹, 龙虾
snake: snake, serpent, cobra, viper, worm | 蛇, 眼镜蛇, 虫子
frog: frog, toad | 青蛙, 蛤蟆
turtle: turtle, tortoise | 乌龟, 龟
bee: bee, wasp, hornet, fly | 蜜蜂, 黄蜂, 苍蝇
eye: eye, beholder, eyeball, watcher | 眼, 眼球, 眼魔, 眼睛
mimic: mimic | 宝箱怪
plant: plant monster, carnivorous plant, piranha plant, flytrap | 食人花, 食人植物
monster: monster, creature, beast, critter, alien, enemy | 怪物, 怪兽, 生物, 野兽, 外星人, 敌人
"""
_ITEMS: Final = """
sword: sword, blade, longsword, katana, saber, sabre, rapier, broadsword | 剑, 长剑, 刀, 宝剑
dagger: dagger, knife, shiv | 匕首, 小刀
axe: axe, hatchet, battleaxe | 斧, 斧头, 战斧
hammer: hammer, mace, warhammer, maul, club | 锤, 锤子, 战锤
pickaxe: pickaxe, pick | 镐, 鹤嘴锄
spear: spear, lance, trident, halberd, pike, javelin | 矛, 长矛, 枪矛, 三叉戟, 长枪
bow: bow, longbow, crossbow | 弓, 弓箭, 弩
arrow: arrow | 箭, 箭矢
staff: staff, rod, stave | 法杖, 杖, 权杖
wand: wand | 魔杖, 魔法棒
shield: shield, buckler | 盾, 盾牌
gun: gun, pistol, blaster, rifle, cannon, revolver | 枪, 手枪, 步枪, 激光枪, 爆能枪
potion: potion, flask, elixir, bottle, vial | 药水, 药剂, 瓶子, 药瓶
key: key | 钥匙
coin: coin, coins, money | 金币, 硬币, 钱, 银币
gem: gem, jewel, diamond, ruby, emerald, sapphire, gemstone | 宝石, 钻石, 红宝石, 绿宝石, 蓝宝石
ring: ring | 戒指, 指环
amulet: amulet, necklace, pendant | 护身符, 项链, 吊坠
heart: heart, life, health | 心, 爱心, 红心, 生命
star: star | 星, 星星
scroll: scroll, map, letter | 卷轴, 地图, 信
book: book, tome, grimoire, spellbook | 书, 魔法书, 书本
bomb: bomb, explosive, grenade | 炸弹, 手雷
apple: apple, fruit | 苹果, 水果
cherry: cherry, cherries, berry | 樱桃, 浆果
meat: meat, drumstick, steak, chicken leg, ham | 肉, 鸡腿, 牛排
bread: bread, loaf, baguette, pie | 面包, 馅饼
cheese: cheese | 奶酪, 芝士
cake: cake, cupcake | 蛋糕
egg: egg | 蛋
carrot: carrot | 胡萝卜
armor: armor, armour, breastplate, chestplate, tunic | 盔甲, 铠甲, 胸甲, 护甲
helmet: helmet, helm | 头盔
boots: boots, boot, shoes, shoe | 靴子, 鞋
glove: glove, gloves, gauntlet | 手套
hat: hat, cap | 帽子
torch: torch | 火把, 火炬
lantern: lantern, lamp | 灯笼, 提灯, 灯
candle: candle | 蜡烛
crown: crown, tiara | 王冠, 皇冠
bag: bag, pouch, sack, backpack | 袋, 袋子, 背包, 钱袋
feather: feather, quill | 羽毛
skull: skull | 头骨, 骷髅头
bone: bone | 骨头
leaf: leaf, herb | 叶子, 树叶, 草药
flame: flame, fireball, fire | 火焰, 火球, 火
lightning: lightning, thunder, bolt | 闪电, 雷电
orb: orb, crystal ball, pearl | 水晶球, 宝珠, 珍珠
drop: droplet, water drop | 水滴
log: log, lumber, planks | 原木, 木材
ore: ore, nugget, ingot | 矿石, 矿, 锭
"""
_PROPS: Final = """
tree: tree, oak | 树, 大树, 橡树
pine: pine, fir, christmas tree, spruce | 松树, 圣诞树, 杉树
palm: palm tree, palm | 棕榈, 棕榈树, 椰子树
stump: stump, tree stump | 树桩
rock: rock, boulder, stone | 岩石, 石头, 巨石
barrel: barrel, keg | 桶, 木桶
crate: crate, box | 木箱, 箱子, 盒子
chest: chest, treasure, treasure chest | 宝箱, 宝藏
house: house, cottage, hut, home, cabin, tavern, shop | 房子, 小屋, 木屋, 酒馆, 商店
castle: castle, fortress, palace | 城堡, 要塞, 宫殿
tower: tower, lighthouse, watchtower | 塔, 灯塔, 瞭望塔
door: door, gate, portal | 门, 大门, 传送门
sign: sign, signpost, notice board | 路牌, 标志, 告示牌
bush: bush, shrub, hedge, plant | 灌木, 树丛, 植物
flower: flower, rose, tulip, daisy, sunflower | 花, 玫瑰, 郁金香, 向日葵
cactus: cactus, cacti | 仙人掌
crystal: crystal, crystals | 水晶
campfire: campfire, bonfire | 篝火, 营火
spaceship: spaceship, rocket, starship, ufo, spacecraft | 飞船, 太空船, 火箭, 飞碟
ship: ship, boat, sailboat | 船, 帆船
cart: cart, wagon | 马车, 推车
car: car, racing car, race car, truck, automobile | 汽车, 赛车, 轿车, 卡车
well: well | 井, 水井
fence: fence | 栅栏, 篱笆
tent: tent | 帐篷
statue: statue, monument | 雕像, 石像
tombstone: tombstone, grave, gravestone | 墓碑, 坟墓
table: table, desk | 桌子
chair: chair, throne | 椅子, 王座
bed: bed | 床
pot: pot, vase, urn, cauldron | 罐子, 花瓶, 坩埚
planet: planet, moon, earth | 行星, 星球, 月亮, 地球
cloud: cloud | 云
sun: sun | 太阳
"""
ENTRIES: Final[tuple[Entry, ...]] = (
    *_entries(Family.PERSON, _PEOPLE),
    *_entries(Family.CREATURE, _CREATURES),
    *_entries(Family.ITEM, _ITEMS),
    *_entries(Family.PROP, _PROPS),
)
