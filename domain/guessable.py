"""Passwords that are guessed first: well-known words, walks over the keyboard, series, and what is about the user.

Not a list of leaked passwords, which would have millions of entries, but the rules by which the top of every such list
is made (NIST SP 800-63B, section 5.1.1.2, names the same kinds). Only what is guessed within a few hundred tries is
refused, since `domain.password_attempts` slows guessing down to little more than that.
"""

import itertools
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

#: Shorter ones that are nothing but digits are dates and telephone numbers, mostly.
_MIN_DIGITS: Final = 12
_MIN_DIFFERENT: Final = 3
#: A part of a walk or series this long says nothing about the user any more.
_MIN_STEPS: Final = 3
#: Of what is about the user, shorter parts are in too many words.
_MIN_ABOUT: Final = 4
#: A password of so many well-known words and little besides is guessed; three are another matter.
_MAX_WORDS: Final = 2
#: What may be besides: this many characters, where a letter counts as two of the others and an ideograph as four.
_MAX_REST: Final = 8
_WEIGHT: Final = 2
_HEAVY: Final = 4
_FIRST_IDEOGRAPH: Final = 0x2E80
_ROWS: Final = (
    "`1234567890-=", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./", "qwertzuiopü", "asdfghjklöä", "yxcvbnm,.-",
    "azertyuiop", "qsdfghjklm", "wxcvbn", "йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm", "1q2w3e4r5t6y7u8i9o0p", "q1w2e3r4t5y6u7i8o9p0", "qazwsxedcrfvtgbyhnujm",
    "zaq12wsxcde3", "!@#$%^&*()",
)  # fmt: skip
_LEET: Final = str.maketrans("@4831!0$57", "aabeiiosst")
_WORDS: Final = frozenset(
    """
    password passwort passwords passw passwd pass pwd motdepasse contrasena contraseña senha parola haslo
    hasło wachtwoord lozinka salasana пароль парол 密码 密碼 パスワード 비밀번호 kata sandi admin administrator root
    toor superuser user username guest test tester testing demo example sample default temp temporary
    login logon signin welcome willkommen bienvenue bienvenido benvenuto hello hallo hola bonjour ciao
    привет 你好 letmein openup opensesame sesame changeme changeit change please access enter secret secrets
    geheim secreto segreto private qwerty qwertz azerty asdf asdfgh zxcvbn zxcvbnm dvorak keyboard
    iloveyou ilove iloveu loveyou lovely love lover loveme amor teamo teamomucho jetaime tiamo lieblich
    schatz sweetheart darling honey baby babygirl babyboy angel angels princess prince queen king knight
    wizard dragon dragons unicorn phoenix tiger lion wolf bear eagle falcon panther cobra monkey gorilla
    elephant dolphin butterfly ladybug kitten kitty puppy horse pony bunny rabbit turtle penguin panda
    koala cat dog cats dogs fish shark football futbol fútbol soccer baseball basketball volleyball hockey
    tennis golf rugby cricket surfing skate skateboard running superman batman spiderman ironman hulk
    wonderwoman avengers starwars startrek skywalker vader yoda gandalf frodo hobbit matrix pokemon
    pikachu mario luigi zelda sonic tetris minecraft roblox fortnite overwatch warcraft starcraft diablo
    halo doom quake counter strike nintendo playstation xbox gameboy gamer gaming game games player wonder
    unity godot phaser pixi tiled aseprite unreal developer devel studio indie sprite pixel pixelart
    spritesheet computer internet google facebook twitter instagram youtube tiktok whatsapp telegram yahoo
    gmail hotmail outlook microsoft windows apple iphone samsung android linux ubuntu debian oracle cisco
    server database docker github gitlab amazon netflix spotify summer winter spring autumn sommer herbst
    fruhling frühling verano invierno printemps automne primavera inverno estate january february march
    april may june july august september october november december märz
    monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag
    freitag samstag sonntag sunshine sunlight sunset rainbow moonlight shadow midnight thunder lightning
    storm snow ocean flower flowers rose lily daisy cherry banana orange lemon mango strawberry chocolate
    cookie cookies coffee cheese pepper ginger sugar candy pizza burger michael jennifer jessica ashley
    daniel matthew andrew joshua anthony robert william james john david thomas charles george jordan
    taylor christopher nicholas alexander alexandra benjamin samantha elizabeth michelle nicole amanda
    stephanie melissa rebecca barbara maria charlie jackson hunter harley buster maggie bailey
    sophie max lucky rocky bella oliver liverpool chelsea arsenal manchester united barcelona realmadrid
    juventus milan ajax benfica yankees cowboys steelers lakers ferrari porsche mercedes mustang corvette
    camaro lamborghini toyota honda yamaha suzuki davidson america london paris berlin newyork tokyo china
    india brasil brazil canada texas florida california australia freedom liberty peace forever whatever
    nothing something anything everything nobody trustno trust believe jesus christ god heaven blessed
    family friend friends friendship mother father mommy daddy brother sister killer hacker master blaster
    trooper ranger soldier sniper ninja samurai pirate zombie vampire monster ghost money rich dollar
    lottery winner champion number one first best abc abcd abcde xyz aaa qwe asd zxc foo bar foobar baz
    lorem ipsum metallica nirvana slipknot eminem beatles rammstein correcthorsebatterystaple
    """.split()  # noqa: SIM905 (five hundred quoted words would be harder to read)
)
_LONGEST_WORD: Final = max(map(len, _WORDS))


def is_guessable(password: str, about: Iterable[str] = ()) -> bool:
    """Tell whether a password is among those that are tried first; `about` is what is known of its user, such as names.

    Capitals, digits in place of letters, and decoration before, between and after words do not help.
    """
    text = unicodedata.normalize("NFKC", password).casefold()
    if len(set(text)) < _MIN_DIFFERENT or (text.isdecimal() and len(text) < _MIN_DIGITS):
        return True
    known = {_letters(part) for word in about for part in (word, *re.split(r"[\W_]+", word))}
    words = _WORDS | {part for part in known if len(part) >= _MIN_ABOUT}
    plain = _without_walks(text)
    return any(_is_decorated(form, words, text) for one in (plain, text) for form in (one, one.translate(_LEET)))


def _is_decorated(form: str, words: frozenset[str], text: str) -> bool:
    """Tell whether a form of the text is a few well-known words, or a walk that was taken out, and little besides."""
    letters = _once(_letters(form))
    rest = _without_words(letters, words)
    if rest == letters and len(form) == len(text):
        return False
    others = sum(not character.isalpha() for character in form)
    return others + sum(_WEIGHT if ord(character) < _FIRST_IDEOGRAPH else _HEAVY for character in rest) <= _MAX_REST


def _letters(text: str) -> str:
    """Return the text without digits, spaces and marks, in lower case."""
    return "".join(character for character in text.casefold() if character.isalpha())


def _without_walks(text: str) -> str:
    """Return the text without series (abcd, 4321, aaaa) and walks along a row of keys."""
    kept: list[str] = []
    start = 0
    while start < len(text):
        length = max(_series(text, start), _walk(text, start))
        if length < _MIN_STEPS:
            kept.append(text[start])
            length = 1
        start += length
    return "".join(kept)


def _series(text: str, start: int) -> int:
    """Return how many characters from here on are equal, or follow each other up or down."""
    steps = [ord(right) - ord(left) for left, right in itertools.pairwise(text[start:])]
    if not steps or abs(steps[0]) > 1:
        return 1
    return 1 + len(list(itertools.takewhile(lambda step: step == steps[0], steps)))


def _walk(text: str, start: int) -> int:
    """Return how many characters from here on lie side by side on a keyboard, in either direction."""
    longest = 1
    for row in _ROWS:
        for keys in (row, row[::-1]):
            while text[start : start + longest + 1] in keys and start + longest < len(text):
                longest += 1
    return longest


def _once(letters: str) -> str:
    """Return what a text repeats, or the text."""
    period = (letters + letters).find(letters, 1)
    return letters[:period]


def _without_words(letters: str, words: frozenset[str]) -> str:
    """Return what is left, at the least, when a few well-known words are taken out."""
    longest = max(_LONGEST_WORD, *map(len, words))
    # For each number of words, what is left of the letters before each place.
    left = [letters[:end] for end in range(len(letters) + 1)]
    for _ in range(_MAX_WORDS):
        before, left = left, [""]
        for end in range(1, len(letters) + 1):
            starts = (start for start in range(max(0, end - longest), end - 1) if letters[start:end] in words)
            left.append(min([left[-1] + letters[end - 1], *(before[start] for start in starts)], key=len))
    return left[-1]
