"""The one way in which operations run, whatever transport they come over."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import cast

from graphql import GraphQLError, OperationType
from starlette.datastructures import Headers
from starlette.types import Scope
from strawberry.types import ExecutionResult
from strawberry.types.execution import PreExecutionError

from domain import db
from domain.accounts import Viewer
from domain.errors import RateLimited, StorageError
from resolvers.errors import present_errors
from resolvers.root import documents, schema
from schema.context import Context, Services
from server.graphql.answers import Answer, answer_of, failure_answer, refusal_answer
from server.graphql.identity import base_url, client_address, viewer_of_token
from server.graphql.requests import GraphQLRequest, Refused
from server.graphql.trusted import TrustedDocuments

#: Makes an operation's own context, from who is logged in at that moment; None: nobody any more, and nothing is run.
MakeContext = Callable[[], Awaitable[Context | None]]


class Executor:
    """Runs operations. Limits of documents, scope and masking of errors are the schema's and hold on every way."""

    def __init__(self, services: Services, trusted: TrustedDocuments) -> None:
        self.services = services
        self._trusted = trusted

    def resolve(self, asked: GraphQLRequest) -> GraphQLRequest:
        """Return the request with the text of a document that it names by id; raises `Refused`."""
        return self._trusted.resolve(asked)

    async def viewer(self, token: str | None) -> Viewer | None:
        """Return who a token stands for; None without one, and when it is not valid."""
        return await viewer_of_token(self.services.accounts, token)

    def context(self, viewer: Viewer | None, scope: Scope) -> Context:
        """Return what the resolvers of one operation work with."""
        base, agent = base_url(self.services.settings, scope), Headers(scope=scope).get("user-agent", "")
        return Context(self.services, viewer, base, client_address(scope), agent)

    def kind(self, asked: GraphQLRequest) -> OperationType | None:
        """Return what kind of operation is asked for; None when the document does not tell, and so cannot be run."""
        return documents.kind(asked.query, asked.operation_name)

    async def run(self, asked: GraphQLRequest, make_context: MakeContext) -> AsyncGenerator[Answer, None]:
        """Yield the answer, or those of a subscription; closing the generator closes what the operation opened.

        Never raises: what fails becomes the last answer, coded and masked. `make_context` may raise `RateLimited`.
        """
        try:
            asked = self.resolve(asked)
            context = await make_context()
            if context is None:
                return
            stream = await schema.stream(
                asked.query,
                variable_values=asked.variables,
                context_value=context,
                operation_name=asked.operation_name,
                operation_extensions=asked.extensions,
            )
            async with aclosing(stream) as results:
                async for result in results:
                    yield answer_of(cast("ExecutionResult", result))  # incremental delivery is off
        except Refused as refused:
            yield refusal_answer(refused)
        except GraphQLError as error:  # strawberry lets out what reading the document raised
            yield answer_of(PreExecutionError(data=None, errors=present_errors([error])))
        except RateLimited as error:  # of `make_context`
            yield failure_answer(error, 429)
        except (StorageError, *db.DATABASE_ERRORS) as error:
            yield failure_answer(StorageError(type(error).__name__), 503)
        except Exception as error:  # noqa: BLE001 (boundary: a fault of ours is logged and masked, and ends one operation)
            yield failure_answer(error, 500)
