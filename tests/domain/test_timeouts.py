from datetime import UTC, datetime, timedelta

import pytest

from domain.errors import SettingsError
from domain.kinds import TaskKind
from domain.settings import load_settings
from domain.timeouts import check_plan, life_ends_at, work_seconds

VIDEO, IMAGE = TaskKind.TEXT_TO_VIDEO, TaskKind.TEXT_TO_IMAGE


def test_a_providers_limit_wins_over_a_kinds_and_a_kinds_over_the_one_for_all() -> None:
    settings = load_settings(task_timeouts="TEXT_TO_VIDEO=1800, comfyui=900.5", task_timeout_seconds=60)
    assert work_seconds(settings, VIDEO, "comfyui") == 900.5
    assert work_seconds(settings, VIDEO, "kling") == 1800
    assert work_seconds(settings, IMAGE, "kling") == 60
    assert work_seconds(settings, IMAGE, None) == 60


def test_a_life_is_counted_from_the_start() -> None:
    settings = load_settings(task_life_limits="TEXT_TO_VIDEO=3")
    start = datetime(2026, 12, 1, tzinfo=UTC)
    assert life_ends_at(settings, VIDEO, "kling", start) == start + timedelta(seconds=3)


def test_thirty_checks_every_two_minutes_are_an_hour() -> None:
    plan = check_plan(load_settings(), VIDEO, "kling", None)
    assert (plan.interval_seconds, plan.max_checks, plan.limit_seconds) == (120, 30, 3600)


def test_a_shorter_interval_makes_more_checks_in_the_same_time() -> None:
    plan = check_plan(load_settings(), VIDEO, "kling", 5)
    assert (plan.interval_seconds, plan.max_checks) == (5, 720)
    set_by_hand = check_plan(load_settings(check_intervals="kling=60"), VIDEO, "kling", 5)
    assert (set_by_hand.interval_seconds, set_by_hand.max_checks) == (60, 60)


@pytest.mark.parametrize("value", ["kling", "=3", "kling=", "kling=soon", "kling=0", "kling=-1", "kling=1e9", "a=nan"])
def test_what_is_no_pair_of_name_and_seconds_is_refused_by_name(value: str) -> None:
    with pytest.raises(SettingsError, match="WONDER_TASK_TIMEOUTS"):
        load_settings(task_timeouts=value)
