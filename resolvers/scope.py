"""What holds for each operation by itself: loaders of its own, and what it may ask."""

from collections.abc import Iterator

from graphql import DocumentNode, GraphQLError, NoSchemaIntrospectionCustomRule, OperationDefinitionNode
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
            if not context.services.settings.introspection:
                self.execution_context.validation_rules += (NoSchemaIntrospectionCustomRule,)
        yield

    def on_validate(self) -> Iterator[None]:
        """Refuse a document of several operations that does not say which; strawberry would run the first."""
        document = self.execution_context.graphql_document
        unnamed = self.execution_context._provided_operation_name is None  # noqa: SLF001 (the public one is filled in)
        if document is not None and unnamed and _has_several_operations(document):
            message = "The document has several operations: `operationName` must say which one to run."
            self.execution_context.pre_execution_errors = [GraphQLError(message)]
        yield


def scoped(context: Context) -> Context:
    """Return a copy with fresh loaders."""
    copy = context.for_operation()
    copy.loaders = new_loaders(copy)
    return copy


def _has_several_operations(document: DocumentNode) -> bool:
    return sum(isinstance(part, OperationDefinitionNode) for part in document.definitions) > 1
