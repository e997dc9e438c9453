"""The schema: the one place where strawberry puts everything together."""

from collections.abc import Callable
from typing import Final

import strawberry
from graphql import GraphQLError
from strawberry.schema.config import StrawberryConfig
from strawberry.types import ExecutionContext

from resolvers.accounts import AccountMutations, AccountQueries
from resolvers.admin import AdminMutations, AdminQueries
from resolvers.api_keys import ApiKeyMutations
from resolvers.assets import AssetMutations, AssetQueries
from resolvers.documents import CachedDocuments, Documents
from resolvers.errors import new_reference, present_errors
from resolvers.nodes import NodeQueries
from resolvers.projects import ProjectMutations, ProjectQueries
from resolvers.rights import enforce_rights
from resolvers.scope import OperationScope
from resolvers.statistics import StatisticsQueries
from resolvers.subscriptions import Subscription
from resolvers.tasks import TaskMutations, TaskQueries
from resolvers.usage import UsageQueries
from resolvers.webhooks import WebhookMutations
from schema.declare import output
from schema.scalars import SCALARS


@output
class Query(
    AccountQueries,
    NodeQueries,
    ProjectQueries,
    TaskQueries,
    AssetQueries,
    StatisticsQueries,
    UsageQueries,
    AdminQueries,
):
    """Reading. What belongs to somebody else is null, exactly as if it did not exist."""


@output
class Mutation(
    AccountMutations,
    ApiKeyMutations,
    ProjectMutations,
    AssetMutations,
    TaskMutations,
    AdminMutations,
    WebhookMutations,
):
    """Changing. Expected failures are data: `errors` of the payload, empty on success."""


class WonderSchema(strawberry.Schema):
    """A schema whose errors are coded and masked on every way out: queries, mutations, subscriptions, any transport."""

    #: Makes what ties a masked error to its log line.
    reference: Callable[[], str] = staticmethod(new_reference)

    def process_errors(
        self,
        errors: list[GraphQLError],
        execution_context: ExecutionContext | None = None,  # noqa: ARG002 (strawberry's signature)
    ) -> None:
        """Replace the errors of a result, in place, by those that the client sees."""
        errors[:] = present_errors(errors, self.reference)


#: Documents of all requests, parsed and validated once.
documents: Final = Documents()

# No `sort_schema`: in this version of strawberry it breaks the output of enums.
schema: Final = WonderSchema(
    query=Query,
    mutation=Mutation,
    subscription=Subscription,
    config=StrawberryConfig(scalar_map=SCALARS),
    extensions=[OperationScope, lambda: CachedDocuments(documents)],
)
enforce_rights(schema._schema)  # noqa: SLF001 (strawberry has no public way to the fields of what it built)


def print_sdl() -> str:
    """Return the schema in GraphQL's schema language, as committed in docs/schema.graphql."""
    return "\n".join(line.rstrip() for line in schema.as_str().splitlines()) + "\n"
