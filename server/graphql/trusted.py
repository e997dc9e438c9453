"""Trusted documents: operations that were written down before, asked for by their id.

The ids are whatever the client's build tool made them, SHA-256 of the text as a rule: Apollo sends them as
`extensions.persistedQuery.sha256Hash`, Relay as `doc_id` or `id`, others as `documentId` (appendix on persisted
documents of GraphQL over HTTP, which also allows the prefix `sha256:`). Clients cannot add any.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from domain.errors import SettingsError
from domain.settings import Settings
from server.graphql.requests import GraphQLRequest, Refused
from server.graphql.strict_json import NotJson, read_json

_APOLLO_FORMAT: Final = "apollo-persisted-query-manifest"
_APOLLO_VERSION: Final = 1
_MAX_MANIFEST_BYTES: Final = 64 * 1024 * 1024
_PREFIX: Final = "sha256:"
#: What the build of the web pages writes: the dashboard's own documents.
DASHBOARD_DOCUMENTS: Final = Path(__file__).parents[1] / "static" / "documents.json"


class TrustedDocuments:
    """The documents of a manifest; with `only`, nothing else is run."""

    def __init__(self, documents: Mapping[str, str] | None = None, *, only: bool = False) -> None:
        self._documents = documents
        self._texts = frozenset(documents.values()) if documents is not None and only else None

    def resolve(self, asked: GraphQLRequest) -> GraphQLRequest:
        """Return the request with the text of its document; raises `Refused` for one that is not there or not allowed.

        Resolving what was resolved changes nothing.
        """
        if asked.document_id is not None:
            asked = self._found(asked, asked.document_id.removeprefix(_PREFIX))
        if self._texts is not None and asked.query not in self._texts:
            message = "This server runs only the documents that its operator trusts (WONDER_TRUSTED_DOCUMENTS)."
            raise Refused(400, message, "DOCUMENT_NOT_TRUSTED")
        return asked

    def _found(self, asked: GraphQLRequest, document_id: str) -> GraphQLRequest:
        known = None if self._documents is None else self._documents.get(document_id)
        if asked.query:  # both, as clients do that would have the server remember it, and as what was resolved has
            if asked.query != known and hashlib.sha256(asked.query.encode()).hexdigest() != document_id.lower():
                raise Refused(400, "The hash is not the SHA-256 of the query.")
            return asked
        if self._documents is None:
            message = "This server knows no documents by their id. Send the query itself."
            raise Refused(400, message, "PERSISTED_QUERY_NOT_SUPPORTED")
        if known is None:
            # In these words, which Apollo's clients look for.
            raise Refused(400, "PersistedQueryNotFound", "PERSISTED_QUERY_NOT_FOUND")
        return replace(asked, query=known)


def load_trusted_documents(settings: Settings, dashboard: Path = DASHBOARD_DOCUMENTS) -> TrustedDocuments:
    """Return the documents of the manifest that is set; raises `SettingsError` for one that cannot be read."""
    if not settings.trusted_documents:
        if settings.trusted_documents_only:
            raise SettingsError("WONDER_TRUSTED_DOCUMENTS_ONLY needs WONDER_TRUSTED_DOCUMENTS, a file of documents.")
        return TrustedDocuments()
    documents = read_manifest(Path(settings.trusted_documents))
    # The dashboard is ours: what it asks for is trusted wherever it is built.
    if settings.trusted_documents_only and dashboard.exists():
        documents = read_manifest(dashboard) | documents
    return TrustedDocuments(documents, only=settings.trusted_documents_only)


def read_manifest(path: Path) -> dict[str, str]:
    """Return documents by their ids; raises `SettingsError`.

    Two formats are read: a JSON object of texts by id, as relay-compiler writes it with `persistConfig.file`, and
    Apollo's manifest, version 1, as generate-persisted-query-manifest writes it.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_MANIFEST_BYTES + 1)
    except OSError as error:
        raise _unusable(f"cannot be read: {error.strerror or 'no such file'}") from None
    if len(data) > _MAX_MANIFEST_BYTES:
        raise _unusable(f"is larger than {_MAX_MANIFEST_BYTES} bytes")
    try:
        value = read_json(data)
    except NotJson as error:
        raise _unusable(f"is not JSON: {error}") from None
    documents = _apollo(value) if isinstance(value, dict) and "operations" in value else value
    if not isinstance(documents, dict) or not all(isinstance(text, str) for text in documents.values()):
        raise _unusable("is neither an object of documents by id nor Apollo's manifest")
    return documents


def _apollo(value: Mapping[str, Any]) -> dict[str, Any] | None:
    if (value.get("format"), value.get("version")) != (_APOLLO_FORMAT, _APOLLO_VERSION):
        return None
    operations = value["operations"]
    if not isinstance(operations, list) or not all(isinstance(one, dict) for one in operations):
        return None
    return {str(one.get("id")): one.get("body") for one in operations}


def _unusable(what: str) -> SettingsError:
    return SettingsError(f"WONDER_TRUSTED_DOCUMENTS: the file {what}.")
