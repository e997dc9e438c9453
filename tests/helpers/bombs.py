"""Documents that are small and cost much; no limit of characters or tokens stops them."""

from collections.abc import Callable

Bomb = Callable[[], str]


def _spreading(lines: int, on: str, body: str, last: str) -> str:
    """Return fragments F0 to F<lines>, each spreading the next as `body` says."""
    fragments = [f"fragment F{n} on {on} {{ {body.format(n=n, next=f'...F{n + 1}')} }}" for n in range(lines)]
    return " ".join([*fragments, f"fragment F{lines} on {on} {{ {last} }}"])


def doubling_fragments() -> str:
    tasks = "tasks {{ edges {{ node {{ project {{ {next} }} }} }} }}"
    assets = "assets {{ edges {{ node {{ task {{ project {{ {next} }} }} }} }} }}"
    return '{ project(id: "x") { ...F0 } } ' + _spreading(15, "Project", f"{tasks} {assets}", "id")


def doubling_pages() -> str:
    body = "tasks {{ edges {{ node {{ project {{ {next} }} b: project {{ {next} }} }} }} }}"
    return '{ project(id: "x") { ...F0 } } ' + _spreading(20, "Project", body, "id")


def nested_pages() -> str:
    inner = "{ id }"
    for _ in range(10):
        inner = "{ tasks { edges { node { project " + inner + " } } } }"
    return '{ project(id: "x") ' + inner + " }"


def large_pages() -> str:
    events = "events(first: 500) { sequence }"
    return "{ projects(first: 100) { edges { node { tasks(first: 100) { edges { node { " + events + " } } } } } } }"


def one_field_many_times() -> str:
    return "{ " + "__typename " * 900 + "}"


def one_tree_many_times() -> str:
    return "{ " + "tasks { edges { node { id } } } " * 90 + "}"


def one_name_from_many_fragments() -> str:
    spreads = " ".join(f"...F{number}" for number in range(55))
    return f"{{ {spreads} }} " + " ".join(f"fragment F{n} on Query {{ me {{ id email }} }}" for n in range(55))


def unused_fragment() -> str:
    return "{ __typename } fragment U on Query { " + "me { id } " * 180 + "}"


def aliases() -> str:
    return "{ " + " ".join(f"a{number}: __typename" for number in range(300)) + " }"


def aliases_in_fragments() -> str:
    fields = " ".join(f"a{number}: id" for number in range(20))
    return f"{{ x: me {{ ...F }} y: me {{ ...F }} }} fragment F on User {{ {fields} }}"


def passwords() -> str:
    login = 'login(input: {email: "a@example.com", password: "guess"}) { accessToken }'
    return "mutation { " + " ".join(f"a{number}: {login}" for number in range(20)) + " }"


def many_fields() -> str:
    """Return few lines that stand for 20 tasks of nine lists of events each."""
    fields = " ".join(f"...G{number}" for number in range(9))
    groups = " ".join(f"fragment G{n} on Task {{ g{n}: events(first: 1) {{ ...E }} }}" for n in range(9))
    event = "fragment E on TaskProgress { sequence status stage progress message attempt at task { id prompt kind } }"
    tasks = " ".join(f"t{n}: task(id: {n}) {{ {fields} }}" for n in range(20))
    return f"{{ {tasks} }} {groups} {event}"


def endless_fragment() -> str:
    return '{ project(id: "x") { ...F } } fragment F on Project { tasks { edges { node { project { ...F } } } } }'


BOMBS: tuple[Bomb, ...] = (
    doubling_fragments,
    doubling_pages,
    nested_pages,
    large_pages,
    one_field_many_times,
    one_tree_many_times,
    one_name_from_many_fragments,
    unused_fragment,
    aliases,
    aliases_in_fragments,
    passwords,
    many_fields,
    endless_fragment,
)
