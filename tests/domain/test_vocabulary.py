"""The small pure parts: styles, ids, the lifecycle table, errors, settings."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import errors
from domain.errors import DomainError, InvalidInput, SettingsError
from domain.ids import IdPrefix, new_id, prefix_of
from domain.lifecycle import ACTIVE, RETRYABLE, STAGE_SPANS, TERMINAL, TRANSITIONS, TaskStage, TaskStatus, may_become
from domain.settings import Settings, load_settings, unknown_variables, variable_name
from domain.styles import Style, StyleChange, change_style, normalise_color, style_from_json, style_to_json


def test_a_style_keeps_what_a_change_does_not_name() -> None:
    style = change_style(Style(), StyleChange(art_style=" 像素画 ", palette=("#FF0000", "#ff0000", "#00ff0080")))
    assert (style.art_style, style.palette) == ("像素画", ("#ff0000", "#00ff0080"))
    later = change_style(style, StyleChange(mood="dark", negative_prompt="blur", perspective="top-down"))
    assert (later.art_style, later.palette, later.mood) == ("像素画", style.palette, "dark")
    assert change_style(later, StyleChange(palette=())).palette == ()
    assert change_style(later, StyleChange(reference_image_ids=("a", "a", "b"))).reference_image_ids == ("a", "b")
    assert style_from_json(style_to_json(later)) == later
    assert style_from_json({}) == Style()


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (StyleChange(palette=("red",)), "palette"),
        (StyleChange(palette=("#12345",)), "palette"),
        (StyleChange(palette=tuple(f"#{n:06x}" for n in range(257))), "palette"),
        (StyleChange(mood="x" * 501), "mood"),
        (StyleChange(art_style="a\x00"), "artStyle"),
        (StyleChange(reference_image_ids=tuple("abcdefghi")), "referenceImageIds"),
    ],
)
def test_a_wrong_style_names_its_field(change: StyleChange, name: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        change_style(Style(), change)
    assert caught.value.path == ("input", "style", name)


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_colors_come_back_in_lower_case(number: int, alpha: bool) -> None:  # noqa: FBT001 (drawn)
    text = f"#{number:08X}" if alpha else f"#{number % 2**24:06X}"
    assert normalise_color(f" {text} ") == text.lower()


def test_a_wrong_color_is_named() -> None:
    with pytest.raises(InvalidInput, match="not 'red'"):
        normalise_color("red")


def test_ids_are_unique_and_say_what_they_name() -> None:
    ids = {new_id(IdPrefix.TASK) for _ in range(2000)}
    assert len(ids) == 2000
    assert {prefix_of(value) for value in ids} == {IdPrefix.TASK}


@given(st.text(max_size=40))
def test_other_texts_are_no_ids(text: str) -> None:
    assert prefix_of(text) is None


def test_an_id_of_an_unknown_kind_is_none() -> None:
    assert prefix_of("xyz" + new_id(IdPrefix.TASK)[3:]) is None


def test_the_table_covers_every_state_and_terminal_ones_only_lead_back_to_pending() -> None:
    assert set(TRANSITIONS) == set(TaskStatus)
    assert set(TaskStatus) == ACTIVE | TERMINAL
    for status in TERMINAL:
        assert TRANSITIONS[status] <= {TaskStatus.PENDING}
        assert may_become(status, TaskStatus.PENDING) == (status in RETRYABLE)


def test_stages_fill_the_whole_bar_in_order() -> None:
    spans = [STAGE_SPANS[stage] for stage in TaskStage]
    assert (spans[0].start, spans[-1].end) == (0, 100)
    assert all(one.end == two.start for one, two in pairwise(spans))
    assert (spans[1].at(-1), spans[1].at(0.5), spans[1].at(2)) == (20, 40, 60)


def test_every_error_has_a_message_and_a_code() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, DomainError)]
    assert len(kinds) > 12
    for kind in kinds:
        assert kind().message.endswith(".") or "`" in kind().message
        assert kind.code.isupper()
    assert InvalidInput("x", path=["input", "a"]).path == ("input", "a")


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WONDER_WORKERS", "7")
    monkeypatch.setenv("WONDER_ALLOWED_ORIGINS", "https://a.example, https://b.example")
    monkeypatch.setenv("WONDER_DATABASE_URL", "postgresql://u@h/db")
    monkeypatch.setenv("WONDER_PUBLIC_URL", "https://wonder.example/")
    monkeypatch.setenv("WONDER_PORT", "")
    settings = load_settings(data_dir=tmp_path)
    assert (settings.workers, settings.port) == (7, 8000)
    assert settings.allowed_origins == ("https://a.example", "https://b.example")
    assert settings.resolved_database_url == "postgres://u@h/db"
    assert settings.public_url == "https://wonder.example"
    monkeypatch.delenv("WONDER_DATABASE_URL")
    assert load_settings(data_dir=tmp_path).resolved_database_url == f"sqlite://{tmp_path / 'wonder.db'}"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WONDER_WORKERS", "many"),
        ("WONDER_WORKERS", "-1"),
        ("WONDER_SECRET_KEY", "short-secret"),
        ("WONDER_DATABASE_URL", "mysql://root:hunter2@db/x"),
        ("WONDER_PUBLIC_URL", "wonder.example"),
        ("WONDER_LOG_LEVEL", "LOUD"),
    ],
)
def test_a_wrong_setting_is_refused_by_name_and_without_its_value(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert name in str(caught.value)
    if len(value) > 4:
        assert value not in str(caught.value)


def test_a_file_of_settings_is_read_and_the_environment_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("WONDER_WORKERS=5\nWONDER_QUEUE_CAPACITY=50\nWONDER_WROKERS=1\n")
    monkeypatch.setitem(Settings.model_config, "env_file", file)
    monkeypatch.setenv("WONDER_WORKERS", "6")
    monkeypatch.setenv("WONDER_NONSENSE", "1")
    settings = load_settings()
    assert (settings.workers, settings.queue_capacity) == (6, 50)
    assert unknown_variables(file) == ["WONDER_NONSENSE", "WONDER_WROKERS"]
    assert variable_name("port") == "WONDER_PORT"


def test_secrets_do_not_show() -> None:
    settings = load_settings(secret_key="s" * 40)
    assert "s" * 40 not in repr(settings)
