"""What each operation needs: one table, checked before any resolver of ours runs, on every transport.

A root field that is not in the table keeps the server from starting.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import wraps
from typing import Any, Final

from graphql import GraphQLObjectType, GraphQLResolveInfo, GraphQLSchema

from domain.kinds import ApiKeyScope
from resolvers.guards import authenticated, require_scope, require_session
from schema.context import Context


class Need(Enum):
    """What of who asks."""

    #: Nobody has to be logged in, and any key will do.
    NOTHING = "NOTHING"
    #: Somebody; with a key, one with the scope of this name.
    READ = "READ"
    GENERATE = "GENERATE"
    ADMIN = "ADMIN"
    #: Somebody who has logged in; no key will do.
    SESSION = "SESSION"


NEEDS: Final[Mapping[str, Need]] = {
    "Query.me": Need.NOTHING,
    "Query.node": Need.READ,
    "Query.nodes": Need.READ,
    "Query.projects": Need.READ,
    "Query.project": Need.READ,
    "Query.tasks": Need.READ,
    "Query.task": Need.READ,
    "Query.asset": Need.READ,
    "Query.queueStats": Need.READ,
    "Query.providers": Need.READ,
    "Query.usage": Need.READ,
    "Query.admin": Need.ADMIN,
    "Mutation.signup": Need.NOTHING,
    "Mutation.login": Need.NOTHING,
    "Mutation.refreshSession": Need.NOTHING,
    "Mutation.logout": Need.SESSION,
    "Mutation.logoutEverywhere": Need.SESSION,
    "Mutation.revokeSession": Need.SESSION,
    "Mutation.changePassword": Need.SESSION,
    "Mutation.deleteAccount": Need.SESSION,
    "Mutation.createApiKey": Need.SESSION,
    "Mutation.revokeApiKey": Need.SESSION,
    "Mutation.createProject": Need.GENERATE,
    "Mutation.updateProject": Need.GENERATE,
    "Mutation.deleteProject": Need.GENERATE,
    "Mutation.uploadImage": Need.GENERATE,
    "Mutation.generate": Need.GENERATE,
    "Mutation.generateBatch": Need.GENERATE,
    "Mutation.cancelTask": Need.GENERATE,
    "Mutation.cancelTasks": Need.GENERATE,
    "Mutation.retryTask": Need.GENERATE,
    "Mutation.setTaskPriority": Need.GENERATE,
    "Mutation.createWebhook": Need.GENERATE,
    "Mutation.updateWebhook": Need.GENERATE,
    "Mutation.rotateWebhookSecret": Need.GENERATE,
    "Mutation.deleteWebhook": Need.GENERATE,
    "Mutation.testWebhook": Need.GENERATE,
    "Mutation.redeliverWebhook": Need.GENERATE,
    "Mutation.admin": Need.ADMIN,
    "Subscription.taskProgress": Need.READ,
    "Subscription.taskEstimate": Need.READ,
    "Subscription.projectProgress": Need.READ,
    "Subscription.queueStats": Need.READ,
}

Resolver = Callable[..., Any]


def enforce_rights(schema: GraphQLSchema) -> None:
    """Have every root field of a schema check its need first; raises `KeyError` for one that the table lacks."""
    for root in (schema.query_type, schema.mutation_type):
        for field, need in _fields(root):
            field.resolve = _checked(field.resolve, need)
    for field, need in _fields(schema.subscription_type):
        field.subscribe = _checked(field.subscribe, need)


def _fields(root: GraphQLObjectType | None) -> list[tuple[Any, Need]]:
    return [] if root is None else [(field, _need(f"{root.name}.{name}")) for name, field in root.fields.items()]


def _need(name: str) -> Need:
    if name not in NEEDS:
        raise KeyError(f"resolvers/rights.py does not say what {name} needs")
    return NEEDS[name]


def _checked(resolver: Resolver | None, need: Need) -> Resolver:
    if resolver is None:
        raise TypeError("a root field has no resolver of its own")

    @wraps(resolver)
    def checked(source: object, info: GraphQLResolveInfo[Context], **arguments: object) -> object:
        check_need(info.context, need)
        return resolver(source, info, **arguments)

    return checked


def check_need(context: Context, need: Need) -> None:
    """Raise `Unauthenticated` or `Forbidden` unless who asks has what an operation needs."""
    if need is Need.NOTHING:
        return
    viewer = authenticated(context)
    if need is Need.SESSION:
        require_session(viewer)
    else:
        require_scope(viewer, ApiKeyScope(need.value))
