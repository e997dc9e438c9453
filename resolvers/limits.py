"""How much one document may ask for, counted before it is validated.

Validation and execution cost far more than the text: comparing fields of one name takes quadratic time, fragments that
spread each other twice double what is executed with every line, and nested pages multiply. Here the document is walked
as it would be executed, and no further than what is allowed, so that counting stays cheap whatever comes.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    Lexer,
    ListValueNode,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    Source,
    TokenKind,
    ValueNode,
    VariableNode,
    get_named_type,
    get_nullable_type,
    is_list_type,
)

from domain.pagination import DEFAULT_PAGE, MAX_PAGE
from domain.tasks.queries import MAX_EVENTS

#: Of a document's text: names, brackets, values; comments and commas count as characters only.
MAX_TOKENS: Final = 1000
MAX_CHARACTERS: Final = 32_768
MAX_DIGITS: Final = 300
#: Levels of fields. Introspection by common tools takes 15.
MAX_DEPTH: Final = 20
#: Fields and spreads with every fragment written out.
MAX_FIELDS: Final = 1000
MAX_ALIASES: Final = 30
#: Changes of one request, each of which may hash a password or store a file.
MAX_MUTATIONS: Final = 10
#: Pairs of fields with one name at one place, which validation compares.
MAX_PAIRS: Final = 1000
#: Values of an answer with every list as long as it may be.
MAX_VALUES: Final = 50_000
#: Values of all variables together.
MAX_VARIABLE_VALUES: Final = 2000

#: What lists hold that have no page size: assets of a task, checks of a round.
_LIST_LENGTH: Final = 5
_DEFAULT_EVENTS: Final = 100
_LONG_NUMBER: Final = re.compile(rf"\d{{{MAX_DIGITS}}}")

_Set: TypeAlias = tuple[SelectionSetNode, GraphQLNamedType | None]
_Found: TypeAlias = tuple[FieldNode, GraphQLField | None, GraphQLNamedType | None]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a document asks for, in the units of the limits."""

    #: Fields and spreads, with every fragment written out.
    fields: int
    aliases: int
    depth: int
    #: Values of the answer with every list as long as it may be.
    values: int

    def shown(self) -> dict[str, dict[str, int]]:
        """Return it beside its limits, as clients see it."""
        most = {"fields": MAX_FIELDS, "aliases": MAX_ALIASES, "depth": MAX_DEPTH, "values": MAX_VALUES}
        return {name: {"asked": getattr(self, name), "most": limit} for name, limit in most.items()}


class TooComplex(GraphQLError):
    """The request asks for more than one operation may."""

    def __init__(self, message: str) -> None:
        super().__init__(message, extensions={"code": "QUERY_TOO_COMPLEX"})


def check_text(text: str) -> None:
    """Raise `TooComplex` for a text that is too long to be read, or whose numbers are."""
    if len(text) > MAX_CHARACTERS:
        raise TooComplex(f"The document has more than {MAX_CHARACTERS} characters. Put long values into variables.")
    if _LONG_NUMBER.search(text) is not None:  # perhaps inside a string, where it does no harm
        lexer = Lexer(Source(text))
        while (token := lexer.advance()).kind is not TokenKind.EOF:
            if token.kind in {TokenKind.INT, TokenKind.FLOAT} and len(token.value or "") > MAX_DIGITS:
                raise TooComplex(f"A number has more than {MAX_DIGITS} digits.")


def check_variables(variables: Mapping[str, Any]) -> None:
    """Raise `TooComplex` for variables that hold too many values."""
    count, rest = 0, list[Any](variables.values())
    while rest:
        value = rest.pop()
        count += 1
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        if count + len(rest) + len(inner) > MAX_VARIABLE_VALUES:
            raise TooComplex(f"The variables hold more than {MAX_VARIABLE_VALUES} values.")
        rest.extend(inner)


def check_document(schema: GraphQLSchema, document: DocumentNode, variables: Mapping[str, Any] | None) -> Cost:
    """Return what a document costs; raises `TooComplex` for one that asks for too much.

    Page sizes that are variables count with the values given; without `variables`, as the largest that there can be.
    """
    return _Meter(schema, document, variables).run()


class _Meter:
    def __init__(self, schema: GraphQLSchema, document: DocumentNode, variables: Mapping[str, Any] | None) -> None:
        self._schema = schema
        self._variables = variables
        self._operations = [part for part in document.definitions if isinstance(part, OperationDefinitionNode)]
        fragments = [part for part in document.definitions if isinstance(part, FragmentDefinitionNode)]
        self._fragments = {fragment.name.value: fragment for fragment in fragments}
        self._reached: set[str] = set()
        self._fields = self._aliases = self._pairs = self._values = self._depth = 0

    def run(self) -> Cost:
        for operation in self._operations:
            root = self._schema.get_root_type(operation.operation)
            groups = self._collected([(operation.selection_set, root)])
            if operation.operation is OperationType.MUTATION and len(groups) > MAX_MUTATIONS:
                raise TooComplex(f"The document makes more than {MAX_MUTATIONS} changes at once.")
            self._measure(groups, 1, 1)
        # Nothing spreads these; validation will say so, after it has looked through them.
        for name, fragment in self._fragments.items():
            if name not in self._reached:
                parent = self._schema.get_type(fragment.type_condition.name.value)
                self._measure(self._collected([(fragment.selection_set, parent)]), 1, 1)
        return Cost(self._fields, self._aliases, self._depth, self._values)

    def _measure(self, groups: Mapping[str, Sequence[_Found]], weight: int, depth: int) -> None:
        """Count fields that stand together and what is below them; each stands for `weight` values of the answer."""
        if depth > MAX_DEPTH:
            raise TooComplex(f"The document is nested deeper than {MAX_DEPTH} levels.")
        self._depth = max(self._depth, depth)
        for found in groups.values():
            self._pairs += len(found) * (len(found) - 1) // 2
            self._values += weight
            if self._pairs > MAX_PAIRS:
                raise TooComplex("The document repeats the same fields too often in one place.")
            if self._values > MAX_VALUES:
                raise TooComplex(f"The answer could hold more than {MAX_VALUES} values. Ask for smaller pages.")
            below = [(node.selection_set, _named(field)) for node, field, _ in found if node.selection_set is not None]
            if below:
                length = max(self._length(*one) for one in found)
                self._measure(self._collected(below), weight * length, depth + 1)

    def _collected(self, sets: Sequence[_Set]) -> dict[str, list[_Found]]:
        """Return the fields of selections that are merged, by their names in the answer."""
        groups: dict[str, list[_Found]] = {}
        spread: set[str] = set()
        for selection_set, parent in sets:
            self._collect(selection_set, parent, spread, groups)
        return groups

    def _collect(
        self,
        selection_set: SelectionSetNode,
        parent: GraphQLNamedType | None,
        spread: set[str],
        groups: dict[str, list[_Found]],
    ) -> None:
        for node in selection_set.selections:
            self._fields += 1
            if self._fields > MAX_FIELDS:
                raise TooComplex(f"The document has more than {MAX_FIELDS} fields, fragments written out.")
            if isinstance(node, FieldNode):
                self._aliases += node.alias is not None
                if self._aliases > MAX_ALIASES:
                    raise TooComplex(f"The document has more than {MAX_ALIASES} aliases, fragments written out.")
                name = (node.alias or node.name).value
                groups.setdefault(name, []).append((node, _field(parent, node.name.value), parent))
            elif isinstance(node, InlineFragmentNode):
                inner = self._schema.get_type(node.type_condition.name.value) if node.type_condition else parent
                self._collect(node.selection_set, inner, spread, groups)
            elif isinstance(node, FragmentSpreadNode) and node.name.value not in spread:
                spread.add(node.name.value)
                self._reached.add(node.name.value)
                fragment = self._fragments.get(node.name.value)
                if fragment is not None:
                    inner = self._schema.get_type(fragment.type_condition.name.value)
                    self._collect(fragment.selection_set, inner, spread, groups)

    def _length(self, node: FieldNode, field: GraphQLField | None, parent: GraphQLNamedType | None) -> int:
        """Return how many objects a field can stand for."""
        if field is None:
            return 1
        arguments = {argument.name.value: argument.value for argument in node.arguments or ()}
        if "first" in field.args:
            paged = _named(field).name.endswith("Connection")
            default, most = (DEFAULT_PAGE, MAX_PAGE) if paged else (_DEFAULT_EVENTS, MAX_EVENTS)
            given = [arguments[name] for name in ("first", "last") if name in arguments]
            return max((self._number(value, default, most) for value in given), default=default)
        if not is_list_type(get_nullable_type(field.type)):
            return 1
        if "ids" in field.args:
            return self._number(arguments.get("ids"), 1, MAX_PAGE)
        # The edges of a connection are as many as its page: counted there.
        return 1 if parent is not None and parent.name.endswith("Connection") else _LIST_LENGTH

    def _number(self, value: ValueNode | None, default: int, most: int) -> int:
        """Return a page size, or the length of a list of ids; what is not known yet counts as the most."""
        if isinstance(value, IntValueNode):
            return min(max(int(value.value), 0), most)
        if isinstance(value, ListValueNode):
            return min(len(value.values), most)
        if isinstance(value, VariableNode):
            given = (self._variables or {}).get(value.name.value)
            size = len(given) if isinstance(given, list) else given
            return min(max(size, 0), most) if isinstance(size, int) else most
        return default


def _field(parent: GraphQLNamedType | None, name: str) -> GraphQLField | None:
    return parent.fields.get(name) if isinstance(parent, GraphQLObjectType | GraphQLInterfaceType) else None


def _named(field: GraphQLField | None) -> Any:  # noqa: ANN401 (graphql-core's own union of types)
    return None if field is None else get_named_type(field.type)
