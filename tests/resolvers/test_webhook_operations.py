"""Webhooks through the API."""

import json
from dataclasses import replace
from typing import Any

import pytest

from domain.lifecycle import TaskStatus
from domain.models.webhooks import Webhook, WebhookDelivery
from tests.helpers.api import Api
from tests.helpers.room import make_project
from tests.helpers.sql import recorded_sql
from tests.helpers.webhooks import end, webhooks_of

FAILED = "errors { code message path }"
FIELDS = "{ id url events enabled disabledReason previousSecretUntil createdAt updatedAt project { id } }"
DELIVERY = """{ id eventType payload state attempts nextTryAt lastStatus lastError lastTriedAt deliveredAt createdAt
    webhook { id } task { id status } }"""
CREATE = (
    f"mutation ($input: CreateWebhookInput!) {{ createWebhook(input: $input) {{ webhook {FIELDS} secret {FAILED} }} }}"
)
UPDATE = f"mutation ($input: UpdateWebhookInput!) {{ updateWebhook(input: $input) {{ webhook {FIELDS} {FAILED} }} }}"
ROTATE = f"mutation ($id: ID!) {{ rotateWebhookSecret(id: $id) {{ webhook {FIELDS} secret {FAILED} }} }}"
DELETE = f"mutation ($id: ID!) {{ deleteWebhook(id: $id) {{ deletedId {FAILED} }} }}"
PING = f"mutation ($id: ID!) {{ testWebhook(id: $id) {{ delivery {DELIVERY} {FAILED} }} }}"
REDELIVER = f"mutation ($id: ID!) {{ redeliverWebhook(deliveryId: $id) {{ delivery {DELIVERY} {FAILED} }} }}"
OF_PROJECT = f"""query ($id: ID!) {{ project(id: $id) {{ webhooks {{ id
    deliveries(first: 2) {{ totalCount pageInfo {{ hasNextPage endCursor }} edges {{ node {DELIVERY} }} }}
    waiting: deliveries(state: PENDING) {{ totalCount edges {{ node {{ id }} }} }} }} }} }}"""
NODE = "query ($id: ID!) { node(id: $id) { __typename id } }"
URL = "http://127.0.0.1:9/hook"


@pytest.fixture
def open_api(api: Api) -> Api:
    """The API of a server whose webhooks may point to this machine."""
    api.services = replace(api.services, webhooks=webhooks_of(api.room))
    return api


async def _create(api: Api, **fields: Any) -> Any:
    given = {"projectId": api.room.project.id, "url": URL, **fields}
    return (await api.ask(CREATE, input=given))["createWebhook"]


async def test_the_secret_is_shown_once_and_never_again(open_api: Api) -> None:
    made = await _create(open_api)
    assert made["errors"] == []
    assert made["secret"].startswith("whsec_")
    webhook = made["webhook"]
    assert webhook["events"] == ["TASK_COMPLETED", "TASK_FAILED", "TASK_CANCELLED", "TASK_TIMEOUT"]
    assert (webhook["enabled"], webhook["project"]) == (True, {"id": open_api.room.project.id})
    rotated = (await open_api.ask(ROTATE, id=webhook["id"]))["rotateWebhookSecret"]
    assert rotated["secret"] not in {made["secret"], None}
    assert rotated["webhook"]["previousSecretUntil"] == "2026-12-02T12:00:00.000000Z"
    schema_fields = await open_api.ask('{ __type(name: "Webhook") { fields { name } } }')
    assert not [field for field in schema_fields["__type"]["fields"] if field["name"] == "secret"]
    shown = json.dumps(await open_api.ask(OF_PROJECT, id=open_api.room.project.id))
    assert "whsec_" not in shown


async def test_a_webhook_is_changed_disabled_and_deleted(open_api: Api) -> None:
    webhook_id = (await _create(open_api, events=["TASK_FAILED"]))["webhook"]["id"]
    change = {"id": webhook_id, "url": f"{URL}/2", "events": None, "enabled": False}
    changed = (await open_api.ask(UPDATE, input=change))["updateWebhook"]
    assert changed["errors"] == []
    assert (changed["webhook"]["url"], changed["webhook"]["events"]) == (f"{URL}/2", ["TASK_FAILED"])
    assert (changed["webhook"]["enabled"], changed["webhook"]["disabledReason"]) == (False, "Its owner disabled it.")
    assert (await open_api.ask(NODE, id=webhook_id))["node"] == {"__typename": "Webhook", "id": webhook_id}
    assert (await open_api.ask(DELETE, id=webhook_id))["deleteWebhook"] == {"deletedId": webhook_id, "errors": []}
    assert (await open_api.ask(NODE, id=webhook_id))["node"] is None
    assert (await open_api.ask(OF_PROJECT, id=open_api.room.project.id))["project"]["webhooks"] == []


async def test_wrong_webhooks_are_refused_with_the_field_at_fault(api: Api) -> None:
    api.room.hosts["inner.example"] = ["10.0.0.1"]
    wrong = [
        "http://127.0.0.1/",
        "https://inner.example/",
        "ftp://a/",
        "http://a:b@c/",
        "http://2130706433/",
        "x" * 2001,
    ]
    for url in (*wrong, "a\x00b", "http://\ud800/"):
        made = await _create(api, url=url)
        assert (made["webhook"], made["secret"]) == (None, None)
        assert [(error["code"], error["path"]) for error in made["errors"]] == [("INVALID_INPUT", ["input", "url"])]
    made = await _create(api, events=[])
    assert [error["path"] for error in made["errors"]] == [["input", "events"]]
    assert await Webhook.all().count() == 0


async def test_the_log_of_messages_is_read_in_pages(open_api: Api) -> None:
    made = await _create(open_api)
    for number in range(3):
        task = await end(open_api.room, TaskStatus.COMPLETED, f"slime {number}")
    ping = (await open_api.ask(PING, id=made["webhook"]["id"]))["testWebhook"]
    assert ping["errors"] == []
    assert (ping["delivery"]["eventType"], ping["delivery"]["task"]) == ("webhook.ping", None)
    [webhook] = (await open_api.ask(OF_PROJECT, id=open_api.room.project.id))["project"]["webhooks"]
    log = webhook["deliveries"]
    assert (log["totalCount"], log["pageInfo"]["hasNextPage"], webhook["waiting"]["totalCount"]) == (4, True, 4)
    newest = log["edges"][0]["node"]
    assert newest["webhook"]["id"] == made["webhook"]["id"]
    by_type = {edge["node"]["eventType"]: edge["node"] for edge in log["edges"]}
    told = by_type["task.completed"]
    assert told["task"]["status"] == "COMPLETED"
    assert json.loads(told["payload"])["data"]["taskId"] == told["task"]["id"]
    assert (told["state"], told["attempts"], told["lastStatus"], told["deliveredAt"]) == ("PENDING", 0, None, None)
    assert task.project_id == open_api.room.project.id
    assert (await open_api.ask(NODE, id=told["id"]))["node"]["__typename"] == "WebhookDelivery"


async def test_redelivery_is_refused_for_what_was_delivered(open_api: Api) -> None:
    await _create(open_api)
    await end(open_api.room, TaskStatus.COMPLETED)
    row = await WebhookDelivery.get()
    for state, codes in (("FAILED", []), ("SKIPPED", []), ("PENDING", []), ("DELIVERED", ["CONFLICT"])):
        await WebhookDelivery.all().update(state=state)
        answer = (await open_api.ask(REDELIVER, id=row.id))["redeliverWebhook"]
        assert [error["code"] for error in answer["errors"]] == codes
        if not codes:
            assert (answer["delivery"]["id"], answer["delivery"]["state"]) == (row.id, "PENDING")


async def test_what_belongs_to_somebody_else_is_not_there(open_api: Api) -> None:
    made = await _create(open_api)
    await end(open_api.room, TaskStatus.COMPLETED)
    webhook_id, delivery_id = made["webhook"]["id"], (await WebhookDelivery.get()).id
    nobody, nonsense = "0" * 26, "\x00 ' OR 1=1 --"
    stranger = open_api.room.stranger
    cases: list[tuple[str, str, list[str]]] = [
        *((document, "id", [webhook_id, f"whk_{nobody}", nonsense]) for document in (ROTATE, DELETE, PING)),
        (REDELIVER, "id", [delivery_id, f"msg_{nobody}", nonsense]),
    ]
    for document, name, ids in cases:
        answers = [await open_api.ask(document, stranger, **{name: item}) for item in ids]
        assert answers[0] == answers[1] == answers[2]
        [answer] = answers[0].values()
        assert [error["code"] for error in answer["errors"]] == ["NOT_FOUND"]
        assert (await open_api.refused(document, None, **{name: ids[0]}))[0] == "UNAUTHENTICATED"
    for field, ids in (
        ("id", [webhook_id, f"whk_{nobody}"]),
        ("projectId", [open_api.room.project.id, f"prj_{nobody}"]),
    ):
        document, rest = (UPDATE, {"enabled": False}) if field == "id" else (CREATE, {"url": URL})
        answers = [await open_api.ask(document, stranger, input={field: item, **rest}) for item in ids]
        assert answers[0] == answers[1]
        [answer] = answers[0].values()
        assert [error["code"] for error in answer["errors"]] == ["NOT_FOUND"]
    for item in (webhook_id, delivery_id):
        assert (await open_api.ask(NODE, stranger, id=item))["node"] is None
        assert (await open_api.ask(NODE, id=item))["node"] is not None
    assert (await Webhook.get()).enabled


async def test_many_webhooks_with_their_logs_take_the_same_statements_as_one(open_api: Api) -> None:
    document = f"""{{ projects(first: 50) {{ edges {{ node {{ id webhooks {{ {FIELDS[1:-1]}
        deliveries(first: 3) {{ totalCount edges {{ node {DELIVERY} }} }} }} }} }} }} }}"""
    counts = []
    for projects in (1, 5):
        for number in range(projects):
            open_api.room.project = await make_project(open_api.room.deps.clock, open_api.room.user)
            for _ in range(2):
                await _create(open_api)
            await end(open_api.room, TaskStatus.COMPLETED, f"slime {number} of {projects}")
        with recorded_sql() as statements:
            await open_api.ask(document)
        counts.append(len(statements))
    # projects, their webhooks, the webhooks' projects, ranked messages and rows, counts, messages' webhooks and tasks
    assert counts[0] == counts[1] <= 8
