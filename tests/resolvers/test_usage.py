"""What was used and what it costs, as clients read it, and budgets as administrators set them."""

from dataclasses import replace

import pytest

from domain.kinds import Role
from domain.models.accounts import User
from domain.spending.ledger import Charge, Purpose, charge
from tests.conftest import MovableClock
from tests.helpers.api import Api
from tests.helpers.sql import recorded_sql

FIGURES = "{ generations judgements pictures cost }"
USAGE = f"""from to currency total {FIGURES} byDay {{ day figures {FIGURES} }}
    byProject {{ projectId project {{ name }} figures {FIGURES} }}
    byProvider {{ provider model figures {FIGURES} }} byUser {{ userId figures {FIGURES} }}"""
LIMITS = "limits { monthlyBudget spentThisMonth }"
SET = f"""mutation($who: ID!, $budget: Decimal) {{ admin {{ setUserLimits(userId: $who, monthlyBudget: $budget) {{
    user {{ {LIMITS} }} errors {{ code message path }} }} }} }}"""


@pytest.fixture
async def admin(api: Api) -> User:
    await User.filter(id=api.room.stranger.id).update(role=Role.ADMIN)
    return await User.get(id=api.room.stranger.id)


async def _spend(api: Api, user: User, project_id: str, cost_micros: int, provider: str = "studio") -> None:
    item = Charge(
        user_id=user.id,
        project_id=project_id,
        provider=provider,
        model="m",
        purpose=Purpose.GENERATION,
        pictures=2,
        cost_micros=cost_micros,
        at=api.room.deps.clock.now(),
    )
    await charge(item, api.room.deps.settings)
    await charge(replace(item, purpose=Purpose.JUDGEMENT, pictures=0, cost_micros=0), api.room.deps.settings)


def figures(generations: int, cost: str) -> dict[str, object]:
    return {"generations": generations, "judgements": generations, "pictures": 2 * generations, "cost": cost}


async def test_ones_own_use_is_told_with_exact_costs_and_nobody_elses(
    api: Api, admin: User, clock: MovableClock
) -> None:
    room = api.room
    await _spend(api, room.user, room.project.id, 100_000)
    clock.advance(86_400)
    await _spend(api, room.user, "prj_gone", 1)
    await _spend(api, admin, room.other_project.id, 5_000_000)
    with recorded_sql() as statements:
        usage = (await api.ask(f"{{ usage {{ {USAGE} }} }}"))["usage"]
    assert usage == {
        "from": "2026-12-01T00:00:00.000000Z",
        "to": "2026-12-03T00:00:00.000000Z",
        "currency": "USD",
        "total": figures(2, "0.100001"),
        "byDay": [
            {"day": "2026-12-01T00:00:00.000000Z", "figures": figures(1, "0.10")},
            {"day": "2026-12-02T00:00:00.000000Z", "figures": figures(1, "0.000001")},
        ],
        "byProject": [
            {"projectId": room.project.id, "project": {"name": "史莱姆 game"}, "figures": figures(1, "0.10")},
            {"projectId": "prj_gone", "project": None, "figures": figures(1, "0.000001")},
        ],
        "byProvider": [{"provider": "studio", "model": "m", "figures": figures(2, "0.100001")}],
        "byUser": [{"userId": room.user.id, "figures": figures(2, "0.100001")}],
    }
    assert len(statements) == 6  # the total, four breakdowns, the projects


async def test_an_administrator_sees_everybodys_and_anybodys(api: Api, admin: User) -> None:
    room = api.room
    await _spend(api, room.user, room.project.id, 100_000)
    await _spend(api, admin, room.other_project.id, 50_000)
    query = f"query($who: ID) {{ admin {{ usage(userId: $who) {{ total {FIGURES} byUser {{ userId }} }} }} }}"
    everybody = (await api.ask(query, admin))["admin"]["usage"]
    assert everybody["total"] == figures(2, "0.15")
    assert [part["userId"] for part in everybody["byUser"]] == [room.user.id, admin.id]
    one = (await api.ask(query, admin, who=room.user.id))["admin"]["usage"]
    assert one == {"total": figures(1, "0.10"), "byUser": [{"userId": room.user.id}]}
    assert (await api.ask(query, admin, who="nobody"))["admin"]["usage"] == {"total": figures(0, "0.00"), "byUser": []}


@pytest.mark.parametrize(
    ("span", "days"),
    [
        ('from: "2026-12-01T23:59:59+02:00", to: "2026-12-01T00:00:00Z"', None),
        ('from: "2025-12-01T00:00:00Z"', ("2025-12-01", "2026-12-02")),
        ('from: "2025-11-30T00:00:00Z"', None),
        ('to: "2026-11-15T12:00:00Z"', ("2026-11-01", "2026-11-16")),
        ('from: "2026-12-01T01:00:00+02:00", to: "2026-12-01T00:00:00Z"', ("2026-11-30", "2026-12-02")),
    ],
)
async def test_days_are_whole_and_in_utc(api: Api, span: str, days: tuple[str, str] | None) -> None:
    query = f"{{ usage({span}) {{ from to }} }}"
    if days is None:
        code, message = await api.refused(query, api.room.user)
        assert code == "BAD_REQUEST"
        assert "from" in message
        return
    usage = (await api.ask(query))["usage"]
    assert (usage["from"][:10], usage["to"][:10]) == days


async def test_a_budget_is_set_shown_and_taken_away(api: Api, admin: User) -> None:
    room = api.room
    await _spend(api, room.user, room.project.id, 40_000)
    assert (await api.ask(f"{{ me {{ {LIMITS} }} }}"))["me"]["limits"] == {
        "monthlyBudget": None,
        "spentThisMonth": "0.04",
    }
    for budget, shown in (("12.5", "12.50"), (0, "0.00"), (0.1, "0.10"), (None, None)):
        payload = (await api.ask(SET, admin, who=room.user.id, budget=budget))["admin"]["setUserLimits"]
        assert payload["errors"] == []
        assert payload["user"]["limits"] == {"monthlyBudget": shown, "spentThisMonth": "0.04"}
    for wrong in ("-1", "1e12"):
        payload = (await api.ask(SET, admin, who=room.user.id, budget=wrong))["admin"]["setUserLimits"]
        assert [(error["code"], error["path"]) for error in payload["errors"]] == [("INVALID_INPUT", ["monthlyBudget"])]
    for broken in ("a lot", "NaN", True):
        assert (await api.refused(SET, admin, who=room.user.id, budget=broken))[0] == "BAD_REQUEST"
