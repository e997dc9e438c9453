"""What resolvers work with."""

from dataclasses import dataclass, field, replace

import strawberry

from domain.account_control import AccountControl
from domain.accounts import Accounts, Viewer
from domain.admin import Admin
from domain.api_keys import ApiKeys
from domain.clock import Clock
from domain.ports import ProviderCatalog, Storage
from domain.projects import Projects
from domain.rate_limits import RateLimits
from domain.sessions import Sessions
from domain.settings import Settings
from domain.spending.reports import Spending
from domain.statistics import Statistics
from domain.storage.signing import UrlSigner
from domain.tasks.service import Tasks
from domain.uploads import Uploads
from domain.webhooks.service import Webhooks
from schema.loaders import Loaders


@dataclass(frozen=True, slots=True)
class Services:
    """The domain of one process, handed in by the composition root."""

    settings: Settings
    clock: Clock
    accounts: Accounts
    account_control: AccountControl
    api_keys: ApiKeys
    sessions: Sessions
    projects: Projects
    tasks: Tasks
    uploads: Uploads
    webhooks: Webhooks
    statistics: Statistics
    spending: Spending
    storage: Storage
    signer: UrlSigner
    catalog: ProviderCatalog
    admin: Admin
    rate_limits: RateLimits


@dataclass(slots=True)
class Context:
    """Who asks, and with what to answer.

    One may serve all operations of a socket: each operation works on a copy of its own, with fresh loaders.
    """

    services: Services
    #: None for a request without a valid token.
    viewer: Viewer | None
    #: Scheme and host under which the client reached the server, for addresses in answers.
    base_url: str
    #: Where the request comes from, for limits.
    client_address: str = ""
    #: What the client calls itself, for the list of sessions.
    user_agent: str = ""
    #: Set on the copy of an operation.
    loaders: Loaders = field(init=False, repr=False)

    @property
    def owner(self) -> str:
        """Whose limits hold: the user's, else those of the address."""
        return self.viewer.user.id if self.viewer is not None else f"address {self.client_address}"

    def for_operation(self) -> "Context":
        """Return a copy that has no loaders yet."""
        return replace(self)


Info = strawberry.Info[Context, None]
