"""Places for backgrounds, terrains for tilesets and parts for interfaces, with the words that name them."""

from typing import Final

#: Place, its English words, its Chinese words.
PLACES: Final[tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]] = (
    ("forest", ("forest", "woods", "woodland", "jungle", "grove", "trees"), ("森林", "树林", "丛林", "林地")),
    ("desert", ("desert", "dunes", "sand", "sahara", "wasteland", "canyon"), ("沙漠", "沙丘", "荒漠", "峡谷", "沙地")),
    (
        "snow",
        ("snow", "snowy", "ice", "icy", "arctic", "tundra", "winter", "glacier", "frozen"),
        ("雪", "雪地", "冰", "冰原", "冬天", "雪山", "冰川"),
    ),
    ("cave", ("cave", "cavern", "mine", "grotto", "underground"), ("洞穴", "山洞", "矿洞", "地下")),
    (
        "dungeon",
        ("dungeon", "crypt", "prison", "sewer", "tomb", "catacomb"),
        ("地牢", "地下城", "牢房", "墓穴", "监狱"),
    ),
    ("castle", ("castle", "fortress", "kingdom", "palace"), ("城堡", "要塞", "王国", "宫殿")),
    ("village", ("village", "town", "farm", "hamlet"), ("村庄", "村子", "小镇", "农场", "村")),
    (
        "city",
        ("city", "cyberpunk", "skyline", "street", "urban", "metropolis", "skyscrapers", "neon"),
        ("城市", "都市", "街道", "赛博朋克", "霓虹"),
    ),
    ("volcano", ("volcano", "lava", "magma", "hell", "inferno", "volcanic"), ("火山", "熔岩", "岩浆", "地狱")),
    ("ocean", ("ocean", "sea", "water", "lake", "waves", "river"), ("海洋", "大海", "海", "水", "湖", "河流")),
    ("underwater", ("underwater", "seabed", "coral reef", "deep sea", "reef"), ("水下", "海底", "珊瑚礁", "深海")),
    ("beach", ("beach", "coast", "shore", "island", "tropical"), ("海滩", "沙滩", "海岸", "岛", "热带")),
    (
        "space",
        ("space", "galaxy", "nebula", "cosmos", "stars", "planet", "outer space", "asteroid"),
        ("太空", "银河", "星云", "宇宙", "星空", "星球"),
    ),
    ("swamp", ("swamp", "marsh", "bog", "bayou"), ("沼泽", "湿地", "泥沼")),
    (
        "mountains",
        ("mountain", "mountains", "alps", "cliff", "peaks", "hills", "valley"),
        ("山", "山脉", "高山", "悬崖", "山谷", "丘陵"),
    ),
    (
        "meadow",
        ("meadow", "grassland", "field", "plains", "grass", "prairie", "garden", "countryside"),
        ("草地", "草原", "田野", "平原", "花园", "草"),
    ),
    ("graveyard", ("graveyard", "cemetery", "haunted"), ("墓地", "坟场", "公墓")),
    ("sky", ("sky", "clouds", "heaven", "floating islands"), ("天空", "云", "云海", "天堂", "浮空岛")),
)
#: Terrain, its English words, its Chinese words, and the terrain it borders on when only one is named.
TERRAINS: Final[tuple[tuple[str, tuple[str, ...], tuple[str, ...], str], ...]] = (
    ("grass", ("grass", "meadow", "grassland", "forest", "field", "plains"), ("草", "草地", "森林", "草原"), "dirt"),
    ("water", ("water", "ocean", "sea", "lake", "river", "pond", "shore"), ("水", "海", "湖", "河", "海洋"), "grass"),
    ("sand", ("sand", "desert", "beach", "dunes"), ("沙", "沙漠", "沙滩"), "water"),
    ("dirt", ("dirt", "earth", "mud", "soil", "path", "road", "farmland"), ("泥", "泥土", "土地", "路", "土"), "grass"),
    (
        "stone",
        ("stone", "rock", "cobblestone", "cave", "mountain", "pavement"),
        ("石", "岩", "石头", "岩石", "洞穴", "山"),
        "dirt",
    ),
    ("lava", ("lava", "magma", "volcano", "hell"), ("熔岩", "岩浆", "火山", "地狱"), "stone"),
    ("snow", ("snow", "snowy", "winter", "tundra"), ("雪", "雪地", "冬"), "ice"),
    ("ice", ("ice", "icy", "frozen", "glacier"), ("冰", "冰川"), "snow"),
    (
        "floor",
        ("floor", "dungeon", "tiles", "crypt", "castle", "temple"),
        ("地板", "地牢", "地下城", "城堡", "神殿"),
        "wall",
    ),
    ("wall", ("wall", "walls", "brick", "bricks"), ("墙", "墙壁", "砖"), "floor"),
    ("swamp", ("swamp", "marsh", "bog", "poison"), ("沼泽", "湿地", "毒"), "grass"),
    (
        "wood",
        ("wood", "wooden", "planks", "house", "indoor", "wood floor", "wooden floor"),
        ("木", "木板", "室内", "木地板"),
        "stone",
    ),
    ("void", ("void", "space", "abyss", "chasm", "pit"), ("虚空", "太空", "深渊"), "metal"),
    (
        "metal",
        ("metal", "sci-fi", "spaceship", "steel", "station", "scifi"),
        ("金属", "科幻", "飞船", "钢", "空间站"),
        "void",
    ),
)
#: Part of an interface, its English words, its Chinese words.
PARTS: Final[tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]] = (
    ("button", ("button", "btn"), ("按钮", "按键")),
    ("bar", ("bar", "health bar", "progress", "meter", "gauge", "healthbar", "hp"), ("血条", "进度条", "条", "生命条")),
    ("slot", ("slot", "inventory slot", "cell"), ("格子", "物品格", "槽")),
    ("grid", ("inventory", "grid", "hotbar"), ("背包", "物品栏", "网格", "快捷栏")),
    ("dialog", ("dialog", "dialogue", "speech", "textbox", "text box", "message"), ("对话框", "对话", "文本框")),
    ("banner", ("banner", "ribbon", "title", "header"), ("横幅", "标题", "丝带")),
    ("checkbox", ("checkbox", "toggle", "check box"), ("复选框", "开关", "勾选")),
    ("cursor", ("cursor", "pointer"), ("光标", "指针", "鼠标")),
    (
        "panel",
        ("panel", "window", "frame", "menu", "ui", "box", "card"),
        ("面板", "窗口", "框", "菜单", "界面", "卡片"),
    ),
)
#: What an interface is made of, its English words, its Chinese words.
FRAMES: Final[tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]] = (
    ("wood", ("wood", "wooden", "rustic", "tavern"), ("木",)),
    ("stone", ("stone", "rock", "dungeon"), ("石", "岩")),
    ("metal", ("metal", "iron", "steel", "medieval", "armor"), ("金属", "铁", "钢", "中世纪")),
    ("gold", ("gold", "golden", "royal", "fantasy", "ornate"), ("金", "皇家", "奇幻", "华丽")),
    ("paper", ("parchment", "paper", "scroll", "map", "old"), ("羊皮纸", "纸", "卷轴")),
    (
        "scifi",
        ("sci-fi", "scifi", "futuristic", "neon", "cyber", "space", "tech", "hologram", "cyberpunk"),
        ("科幻", "未来", "霓虹", "太空", "赛博", "科技"),
    ),
    ("candy", ("cute", "candy", "kawaii", "pastel", "bubble"), ("可爱", "糖果", "泡泡")),
)
