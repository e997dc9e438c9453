"""No statement per row: how many rows an answer has does not change how many statements it takes."""

from domain.models.projects import Project
from domain.models.tasks import Task
from tests.helpers.api import Api
from tests.helpers.history import finish
from tests.helpers.room import make_project
from tests.helpers.sql import recorded_sql

EVERYTHING = """{ tasks(first: 100) { totalCount edges { node {
    id prompt queuePosition error { code } params { seed }
    project { id name style { referenceImages { id } } }
    assets { id url qualityChecks { name } task { id } }
    qualityChecks { round name }
    early: events(first: 1) { sequence } events { sequence task { id } }
    dependsOn { id status }
} } } }"""
OF_PROJECTS = """{ projects(first: 100) { totalCount edges { node { id
    tasks(first: 3) { totalCount edges { node { id assets { id } } } }
    pending: tasks(first: 1, filter: { status: [PENDING] }, orderBy: CREATED_ASC) { edges { node { id } } }
    assets(first: 2) { totalCount edges { node { id } } }
    sprites: assets(last: 2, assetType: SPRITE) { edges { node { id } } }
} } } }"""


async def _tasks(api: Api, count: int) -> list[Task]:
    tasks: list[Task] = []
    for number in range(count):
        depends_on = (tasks[-1].id,) if tasks else ()
        task = await api.room.submit(f"slime {number} of {count}", depends_on=depends_on)
        tasks.append(task)
        await finish(api.room, task)
        tasks.append(await api.room.submit(f"waiting slime {number} of {count}"))
    return tasks


async def _statements(api: Api, document: str) -> tuple[int, int]:
    """Return the number of rows of the list and of the statements that it took."""
    with recorded_sql() as statements:
        [listed] = (await api.ask(document)).values()
    return listed["totalCount"], len(statements)


async def test_tasks_with_everything_take_the_same_statements_for_two_as_for_twenty(api: Api) -> None:
    await _tasks(api, 1)
    few = await _statements(api, EVERYTHING)
    await _tasks(api, 9)
    many = await _statements(api, EVERYTHING)
    assert (few[0], many[0]) == (2, 20)
    # tasks, count, queue positions, projects, verdicts, assets and their tasks, dependencies and their tasks,
    # events twice and their tasks
    assert few[1] <= many[1] <= 12


async def test_projects_with_their_tasks_and_assets_take_the_same_statements_for_one_as_for_twelve(api: Api) -> None:
    await _tasks(api, 2)
    few = await _statements(api, OF_PROJECTS)
    for _ in range(11):
        api.room.project = await make_project(api.room.deps.clock, api.room.user)
        await _tasks(api, 2)
    many = await _statements(api, OF_PROJECTS)
    assert (few[0], many[0]) == (1, 12)
    # projects, count; per nested list a ranking, its rows, and for two of them counts; assets of tasks
    assert many[1] <= 13
    assert await Project.filter(user_id=api.room.user.id).count() == 12


async def test_what_is_not_asked_for_is_not_counted(api: Api) -> None:
    await _tasks(api, 1)
    with recorded_sql() as statements:
        await api.ask("{ tasks { edges { node { id prompt status } } } }")
    assert len(statements) == 1


async def test_aliases_of_single_objects_share_a_statement(api: Api) -> None:
    tasks = await _tasks(api, 2)
    fields = " ".join(f'a{number}: task(id: "{task.id}") {{ id }}' for number, task in enumerate(tasks))
    with recorded_sql() as statements:
        answer = await api.ask(f"{{ {fields} }}")
    assert [found["id"] for found in answer.values()] == [task.id for task in tasks]
    assert len(statements) == 1
    with recorded_sql() as statements:
        ids = [task.id for task in tasks] + [api.room.project.id, api.room.user.id]
        nodes = (await api.ask("query ($ids: [ID!]!) { nodes(ids: $ids) { id } }", ids=ids))["nodes"]
    assert [node["id"] for node in nodes] == ids
    assert len(statements) == 2
