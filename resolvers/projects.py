"""Projects."""

from typing import Annotated

import strawberry

from resolvers.errors import answers
from resolvers.guards import user_of, viewer_of
from schema.context import Info
from schema.declare import argument, given, mutation, resolved
from schema.inputs.projects import CreateProjectInput, UpdateProjectInput, change_of
from schema.node import own_id
from schema.pagination import After, Before, Connection, First, Last, connection_of, page_request
from schema.payloads import DeletePayload, ProjectPayload
from schema.types.project import Project


@strawberry.type
class ProjectQueries:
    """Your projects."""

    @resolved
    async def projects(
        self,
        info: Info,
        first: First = strawberry.UNSET,
        after: After = strawberry.UNSET,
        last: Last = strawberry.UNSET,
        before: Before = strawberry.UNSET,
        search: Annotated[str | None, argument("Only with this in the name, in any case.")] = strawberry.UNSET,
    ) -> Connection[Project]:
        """Your projects, newest first."""
        user = user_of(info)
        request = page_request(first, after, last, before)
        page, count = await info.context.services.projects.page(user.id, request, given(search))
        return connection_of(page, Project.from_row, count)

    @resolved
    async def project(self, info: Info, id: Annotated[strawberry.ID, argument("Which one.")]) -> Project | None:
        """One of your projects; null when there is none with this id."""
        viewer_of(info)
        return await info.context.loaders.project.load(own_id(id))


@strawberry.type
class ProjectMutations:
    """Making, changing and deleting projects."""

    @mutation
    @answers(ProjectPayload)
    async def create_project(
        self, info: Info, input: Annotated[CreateProjectInput, argument("The new project.")]
    ) -> ProjectPayload:
        """Make a project."""
        projects = info.context.services.projects
        row = await projects.create(user_of(info).id, input.name, given(input.description), change_of(input.style))
        return ProjectPayload(project=Project.from_row(row))

    @mutation
    @answers(ProjectPayload)
    async def update_project(
        self, info: Info, input: Annotated[UpdateProjectInput, argument("The change.")]
    ) -> ProjectPayload:
        """Change a project. Tasks that were made before keep the style that they were made with."""
        row = await info.context.services.projects.update(
            user_of(info).id,
            own_id(input.id),
            name=given(input.name),
            description=given(input.description),
            style=change_of(input.style),
        )
        return ProjectPayload(project=Project.from_row(row))

    @mutation
    @answers(DeletePayload)
    async def delete_project(self, info: Info, id: Annotated[strawberry.ID, argument("Which one.")]) -> DeletePayload:
        """Cancel a project's active tasks and delete all that is in it, stored files included."""
        await info.context.services.tasks.delete_project(user_of(info).id, own_id(id))
        return DeletePayload(deleted_id=id)
