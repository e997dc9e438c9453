import re
from pathlib import Path
from typing import get_args

from annotated_types import Ge, Gt, Le
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from domain.settings import Settings, variable_name
from tests.helpers.source import ROOT, table_rows, text_files

#: Variables that are read and are no settings: by one command, by tests, by the compose file.
_NO_SETTINGS = {"WONDER_ADMIN_PASSWORD", "WONDER_TEST_DATABASES", "WONDER_PUBLISH"}
_GROUPS = (
    "Where things are",
    "Stored files",
    "The queue and its workers",
    "Accounts",
    "The web",
    "Webhooks",
    "The log",
)


def documented() -> dict[str, list[str]]:
    rows = [row for group in _GROUPS for row in table_rows("settings.md", f"## {group}")]
    return {row[0].strip("`"): row[1:] for row in rows}


def known() -> set[str]:
    return {variable_name(name) for name in Settings.model_fields}


def default_as_text(field: FieldInfo) -> str:
    value = "" if field.default is None else field.default
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if isinstance(value, tuple):
        value = ",".join(value)
    if isinstance(value, bool):
        value = str(value).lower()
    return f"`{value}`" if str(value) else "unset"


def limits_as_text(field: FieldInfo) -> str | None:
    """What a field takes, where its declaration says so."""
    if field.annotation is bool:
        return "`true` or `false`"
    choices = get_args(field.annotation)
    if choices and all(isinstance(choice, str) for choice in choices):
        return ", ".join(f"`{choice}`" for choice in choices if choice)
    if field.annotation not in {int, float}:
        return None
    low = next(
        f"above {limit.gt}" if isinstance(limit, Gt) else f"{limit.ge}"
        for limit in field.metadata
        if isinstance(limit, Ge | Gt)
    )
    high = next(limit.le for limit in field.metadata if isinstance(limit, Le))
    return f"{low} to {high}" + (", fractions too" if field.annotation is float else "")


def test_every_setting_is_documented_and_nothing_else_is() -> None:
    assert len(known()) > 30
    assert documented().keys() == known()


def test_documented_settings_stand_in_the_order_of_the_code() -> None:
    assert list(documented()) == [variable_name(name) for name in Settings.model_fields]


def test_documented_defaults_are_the_defaults() -> None:
    pages = documented()
    expected = {variable_name(name): default_as_text(field) for name, field in Settings.model_fields.items()}
    assert {name: pages[name][0] for name in expected} == expected


def test_documented_limits_are_the_limits() -> None:
    pages = documented()
    expected = {
        variable_name(name): limits
        for name, field in Settings.model_fields.items()
        if (limits := limits_as_text(field)) is not None
    }
    assert len(expected) > 25
    assert {name: pages[name][1] for name in expected} == expected


def test_every_number_has_two_limits() -> None:
    for name, field in Settings.model_fields.items():
        if field.annotation in {int, float}:
            assert any(isinstance(limit, Ge | Gt) for limit in field.metadata), name
            assert any(isinstance(limit, Le) for limit in field.metadata), name


def test_every_documented_setting_says_what_it_means() -> None:
    assert [name for name, cells in documented().items() if len(cells) != 3 or len(cells[2]) < 20] == []


def test_no_page_or_file_names_a_setting_that_does_not_exist() -> None:
    pattern = re.compile(r"\bWONDER_[A-Z][A-Z_]*[A-Z]\b")
    wrong, seen = [], 0
    for name, text in text_files():
        if Path(name).suffix in {".md", ".yaml", ".yml", ".example"} or name == "Dockerfile":
            for variable in pattern.findall(text):
                seen += 1
                if variable not in known() | _NO_SETTINGS:
                    wrong.append(f"{name}: {variable}")
    assert seen > 40
    assert wrong == []


def test_the_example_of_an_env_file_is_all_comments_and_real_settings() -> None:
    lines = [line for line in (ROOT / ".env.example").read_text("utf-8").splitlines() if line]
    assert all(line.startswith("#") for line in lines)
    set_there = {line[1:].partition("=")[0] for line in lines if line.startswith("#WONDER_")}
    assert len(set_there) > 5
    assert set_there <= known()
