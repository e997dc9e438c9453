"""Each operation works with loaders of its own."""

from collections.abc import Iterator

from strawberry.extensions import SchemaExtension

from resolvers.loaders import new_loaders
from schema.context import Context


class OperationScope(SchemaExtension):
    """Gives an operation its own copy of the context: one socket's operations share the context that they came with."""

    def on_operation(self) -> Iterator[None]:
        """Replace the context before anything of the operation runs."""
        context = self.execution_context.context
        if isinstance(context, Context):
            self.execution_context.context = scoped(context)
        yield


def scoped(context: Context) -> Context:
    """Return a copy with fresh loaders."""
    copy = context.for_operation()
    copy.loaders = new_loaders(copy)
    return copy
