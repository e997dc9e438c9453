"""Documents parsed and validated once: most of a small request's time, if it were done every time."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from graphql import (
    ASTValidationRule,
    DocumentNode,
    GraphQLError,
    GraphQLSyntaxError,
    OperationType,
    get_operation_ast,
    parse,
    validate,
)
from strawberry.extensions import SchemaExtension
from strawberry.schema.validation_rules.maybe_null import MaybeNullValidationRule
from strawberry.schema.validation_rules.one_of import OneOfInputValidationRule

from resolvers.errors import MAX_ERRORS
from resolvers.limits import MAX_TOKENS, Cost, TooComplex, check_document, check_text, check_variables

#: Bound of the memory: a document's tree takes some hundred times the memory of its text.
MAX_CHARACTERS: Final = 500_000
_STRAWBERRY_RULES: Final = (MaybeNullValidationRule, OneOfInputValidationRule)


@dataclass(slots=True)
class Parsed:
    """A document, and what was found wrong with it under each set of rules."""

    document: DocumentNode
    findings: dict[tuple[type[ASTValidationRule], ...], tuple[GraphQLError, ...]] = field(default_factory=dict)
    #: Whether it stays within the limits whatever the variables are; None until that was looked at.
    modest: bool | None = None


class Documents:
    """The documents used last, at most `max_characters` of them together."""

    def __init__(self, max_characters: int = MAX_CHARACTERS) -> None:
        self._max_characters = max_characters
        self._parsed: OrderedDict[tuple[str, int | None], Parsed] = OrderedDict()
        self.characters = 0

    def parse(self, text: str, max_tokens: int | None) -> Parsed:
        """Return a document, parsed now or before.

        Raises `GraphQLSyntaxError` and, for a text that is too long to look at, `TooComplex`; neither is remembered.
        """
        key = (text, max_tokens)
        parsed = self._parsed.get(key)
        if parsed is None:
            check_text(text)
            parsed = Parsed(_parse(text, max_tokens))
            self._keep(key, parsed)
        else:
            self._parsed.move_to_end(key)
        return parsed

    def kind(self, text: str, operation_name: str | None) -> OperationType | None:
        """Return what kind of operation a document would run; None when it cannot be read, or does not say which."""
        try:
            parsed = self.parse(text, MAX_TOKENS)
        except GraphQLError:
            return None
        operation = get_operation_ast(parsed.document, operation_name)
        return None if operation is None else operation.operation

    def _keep(self, key: tuple[str, int | None], parsed: Parsed) -> None:
        self._parsed[key] = parsed
        self.characters += len(key[0])
        while self.characters > self._max_characters:
            (text, _), _ = self._parsed.popitem(last=False)
            self.characters -= len(text)


class CachedDocuments(SchemaExtension):
    """Takes documents and findings from a cache; finds at most a few faults, and suggests nothing."""

    def __init__(self, documents: Documents) -> None:
        super().__init__()
        self._documents = documents
        self._parsed: Parsed | None = None
        self._cost: Cost | None = None

    def on_parse(self) -> Iterator[None]:
        """Take the document from the cache."""
        context = self.execution_context
        if context.query and context.graphql_document is None:
            self._parsed = self._documents.parse(context.query, context.parse_options.get("max_tokens", MAX_TOKENS))
            context.graphql_document = self._parsed.document
        yield

    def on_validate(self) -> Iterator[None]:
        """Hold the document to the limits, then take the findings from the cache."""
        context = self.execution_context
        parsed, rules = self._parsed, context.validation_rules
        if parsed is not None and context.pre_execution_errors is None:
            try:
                wanted = (context.operation_extensions or {}).get("cost") is True
                self._cost = _check_limits(context.schema, parsed, context.variables or {}, wanted=wanted)
            except TooComplex as error:
                context.pre_execution_errors = [error]
        if parsed is not None and rules and context.pre_execution_errors is None:
            if rules not in parsed.findings:
                parsed.findings[rules] = tuple(_validate(context.schema, parsed.document, rules))
            context.pre_execution_errors = list(parsed.findings[rules])
        yield

    def get_results(self) -> dict[str, Any]:
        """Return the cost for the answer's `extensions`, where the request's own `extensions.cost` asks for it."""
        return {} if self._cost is None else {"cost": self._cost.shown()}


def _parse(text: str, max_tokens: int | None) -> DocumentNode:
    try:
        return parse(text, max_tokens=max_tokens)
    except GraphQLSyntaxError as error:
        if max_tokens is not None and f"more than {max_tokens} tokens" in error.message:
            raise TooComplex(f"The document has more than {max_tokens} tokens.") from None
        raise


def _check_limits(
    schema: Any,  # noqa: ANN401 (strawberry's schema keeps the one that graphql-core takes in a private attribute)
    parsed: Parsed,
    variables: Mapping[str, Any],
    *,
    wanted: bool,
) -> Cost | None:
    """Raise `TooComplex`, or return the cost if it is wanted.

    A document that is modest with the largest variables is not looked at again for the limits alone.
    """
    check_variables(variables)
    if parsed.modest is None:
        try:
            check_document(schema._schema, parsed.document, None)  # noqa: SLF001 (likewise)
        except TooComplex:
            parsed.modest = False
        else:
            parsed.modest = True
    if parsed.modest and not wanted:
        return None
    cost = check_document(schema._schema, parsed.document, variables)  # noqa: SLF001 (likewise)
    return cost if wanted else None


def _validate(
    schema: Any,  # noqa: ANN401 (likewise)
    document: DocumentNode,
    rules: tuple[type[ASTValidationRule], ...],
) -> list[GraphQLError]:
    return validate(
        schema._schema,  # noqa: SLF001 (likewise)
        document,
        (*rules, *_STRAWBERRY_RULES),
        max_errors=MAX_ERRORS,
        hide_suggestions=True,
    )
