"""The composition root: from settings to a process that serves and works."""

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence

from domain import db
from domain.account_control import AccountControl
from domain.accounts import Accounts
from domain.admin import Admin
from domain.api_keys import ApiKeys
from domain.callbacks import CallbackAddresses
from domain.clock import SystemClock
from domain.errors import StorageError
from domain.instances.notes import Note
from domain.key_usage import KeyUsage
from domain.outbox import Outbox
from domain.passwords import PasswordHasher
from domain.projects import Projects
from domain.provider_settings import load_provider_settings
from domain.rate_limits import RateLimits
from domain.schedules import forget_interrupted_runs
from domain.secret_key import derive_key, load_secret_key
from domain.sessions import Sessions
from domain.settings import Settings
from domain.spending.reports import Spending
from domain.statistics import Statistics
from domain.storage.signing import UrlSigner
from domain.tasks.deps import TaskDeps
from domain.tasks.recovery import recover_at_start
from domain.tasks.service import Tasks
from domain.tokens import TokenIssuer
from domain.uploads import Uploads
from domain.webhooks.service import Webhooks
from schema.context import Services
from server.addresses import AddressCount
from server.company import Company
from server.graphql.channels import OpenChannels
from server.graphql.session_watch import SessionWatch
from server.graphql.trusted import load_trusted_documents
from server.opening import is_writable, open_database
from server.readiness import Readiness
from server.sharing import TaskSharing
from server.storage import build_storage
from worker.callbacks.receiver import CallbackReceiver
from worker.dispatcher import Dispatcher
from worker.duties.check_statuses import check_statuses_duty
from worker.duties.cleanup import cleanup_duty
from worker.duties.expiry import expiry_duty
from worker.duties.figures import figures_duty
from worker.duties.orphans import orphans_duty
from worker.duties.purge import purge_duty
from worker.duties.reconcile import reconcile_duty
from worker.duties.release import release_duty
from worker.duties.statistics import statistics_duty
from worker.engine import Engine
from worker.imaging.inspect import inspect_image
from worker.jobs.canceller import Canceller
from worker.jobs.checker import Checker
from worker.jobs.previews import Previews, reduced
from worker.pipeline.adapt import adapt
from worker.pipeline.run import Tools
from worker.process_pool import ProcessPool
from worker.providers.builtin.film.render import render_film
from worker.providers.builtin.render import render
from worker.providers.clips.frame import start_frame
from worker.providers.factory import ProviderFactory
from worker.providers.pictures.finish import finish
from worker.providers.pictures.prepare import prepare
from worker.providers.probe import log_probes
from worker.providers.registry import AnyProvider
from worker.quality.measure import measure
from worker.resolver import SystemResolver
from worker.scheduler import Duty
from worker.video.fit import fit
from worker.webhooks.post import Poster, trusted_authorities
from worker.webhooks.sender import Sender

_SECONDS_PER_MINUTE = 60
_SECONDS_PER_DAY = 86_400
#: Anybody may ask whether the server is ready, as often as they like.
_READY_SECONDS = 1.0
#: What picture processes load before the first of it is asked for.
_PICTURE_WORK = (render, render_film, measure, adapt, inspect_image, finish, prepare, start_frame, fit, reduced)


_Wake = Callable[[], None]


def build_accounts(
    settings: Settings, on_revoked: Callable[[str], None] | None = None, usage: KeyUsage | None = None
) -> tuple[Accounts, PasswordHasher]:
    """Return the accounts of this installation and the hasher that is to be closed at the end."""
    clock = SystemClock()
    tokens = TokenIssuer(
        derive_key(load_secret_key(settings), "tokens"),
        clock,
        access_seconds=settings.access_token_minutes * _SECONDS_PER_MINUTE,
        refresh_seconds=settings.refresh_token_days * _SECONDS_PER_DAY,
    )
    hasher = PasswordHasher(settings.bcrypt_cost)
    if on_revoked is None or usage is None:
        return Accounts(settings, clock, tokens, hasher), hasher
    return Accounts(settings, clock, tokens, hasher, on_revoked, usage.note), hasher


def _callback_addresses(settings: Settings) -> CallbackAddresses | None:
    """Return how addresses for callbacks are made; None when nobody can reach this server at a known place."""
    if not settings.public_url:
        return None
    return CallbackAddresses(derive_key(load_secret_key(settings), "callbacks"), settings.public_url)


class Process:
    """Everything that one server process consists of; built without waiting, started and stopped in order."""

    def __init__(
        self,
        settings: Settings,
        further_providers: Sequence[AnyProvider] = (),
        *,
        ready_seconds: float = _READY_SECONDS,
    ) -> None:
        """Build it; `further_providers` come after the configured ones, for who embeds the server."""
        clock = SystemClock()
        self._readiness = Readiness(self._reachable, ready_seconds)
        self.settings = settings
        self.trusted_documents = load_trusted_documents(settings)
        self.channels = OpenChannels(AddressCount(settings.max_sockets_per_address, settings.trusted_proxies))
        self.signer = UrlSigner(derive_key(load_secret_key(settings), "files"), clock, settings.file_url_seconds)
        self.storage = build_storage(settings, clock, self.signer)
        self.draining = False
        self._company = Company(settings, clock)
        close_session = self._company.tell_closed(self.channels.close_session)
        usage = KeyUsage(clock)
        accounts, self._hasher = build_accounts(settings, close_session, usage)
        api_keys = ApiKeys(clock, close_session)
        self._pool = ProcessPool(settings.image_processes, preload=_PICTURE_WORK)
        dispatcher = Dispatcher()
        self._resolver = SystemResolver()
        tls, configured = trusted_authorities(), load_provider_settings(settings)
        factory = ProviderFactory(self._pool.run, self._resolver.resolve, tls, clock, _callback_addresses(settings))
        self._providers = factory.build(configured.provider, builtin=settings.builtin_provider)
        judge = factory.judge(configured.judge, self._providers) if configured.judge else None
        registry = self._providers.registry(further_providers)
        sender = Sender(Poster(self._resolver.resolve, tls, private=settings.webhook_private_targets), clock)
        checker, canceller = Checker(registry, Previews(self._pool)), Canceller(registry)
        self._sharing = TaskSharing(self._company, settings, clock)
        deps = self._deps = TaskDeps(
            settings,
            clock,
            self._sharing.broadcaster,
            self._sharing.queue,
            registry,
            self._company.id,
            **self._wakers(dispatcher.wake, sender.wake, checker.wake, canceller.wake),
        )
        self._sharing.begin(deps)
        statistics = Statistics(settings, clock)
        duties = self._duties(statistics, accounts, api_keys, checker, canceller)
        tools = Tools(deps, self.storage, registry, self._pool, judge=judge)
        companions = self._companions(checker, canceller) | {
            "sender of webhooks": sender.run,
            "writer of key usage": usage.run,
        }
        self.engine = Engine(deps, tools, self._sharing.queue, dispatcher, duties, companions=companions)
        self.services = Services(
            settings=settings,
            clock=clock,
            accounts=accounts,
            account_control=AccountControl(deps, self._hasher, close_session),
            api_keys=api_keys,
            sessions=Sessions(clock, close_session),
            projects=Projects(clock),
            tasks=Tasks(deps),
            uploads=Uploads(self.storage, clock, lambda data: self._pool.run(inspect_image, data), settings),
            webhooks=Webhooks(settings, clock, self._resolver.resolve, sender.wake),
            statistics=statistics,
            spending=Spending(settings, clock),
            storage=self.storage,
            signer=self.signer,
            catalog=registry,
            admin=Admin(deps, self.storage, duties, lambda: checker.check_all(deps)),
            rate_limits=RateLimits(settings, clock),
        )

    def _wakers(self, dispatcher: _Wake, sender: _Wake, checker: _Wake, canceller: _Wake) -> dict[str, _Wake]:
        """Return what wakes whom, in this process and, where they share the work, in the others."""

        def wake_checker() -> None:
            checker()
            canceller()

        return {
            "wake": self._company.tell_awake(Note.RELEASE, dispatcher),
            "wake_sender": sender,
            "wake_checker": self._company.tell_awake(Note.JOBS, wake_checker),
        }

    def _companions(
        self, checker: Checker, canceller: Canceller
    ) -> dict[str, Callable[[], Coroutine[None, None, None]]]:
        return {
            "checker of jobs": lambda: checker.run(self._deps),
            "canceller of jobs": lambda: canceller.run(self._deps),
            "watch on sessions": SessionWatch(self.channels, self._deps.clock, self._company.notes).run,
            **self._sharing.companions(),
        }

    @functools.cached_property
    def callbacks(self) -> CallbackReceiver | None:
        """What takes the messages of services about their jobs; None when no service may send any."""
        addresses, readers = _callback_addresses(self.settings), self._providers.readers
        return CallbackReceiver(addresses, readers, self._deps) if addresses is not None and readers else None

    def _duties(
        self, statistics: Statistics, accounts: Accounts, api_keys: ApiKeys, checker: Checker, canceller: Canceller
    ) -> list[Duty]:
        deps = self._deps
        return [
            release_duty(deps),
            reconcile_duty(deps),
            check_statuses_duty(deps, checker, canceller),
            purge_duty(deps, Outbox(self.storage, deps.clock)),
            cleanup_duty(deps),
            figures_duty(deps),
            statistics_duty(deps, statistics),
            orphans_duty(deps, self.storage),
            expiry_duty(deps, accounts, api_keys),
        ]

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Take the database for this process, bring it up to date, take back what a predecessor left, work, and end.

        The end comes in the reverse order, also of a start that failed half-way; running tasks get the grace period and
        are handed back after it. Raises `SettingsError`, `StorageError` or what the database driver raises, each with
        what is wrong.
        """
        async with contextlib.AsyncExitStack() as ends:
            ends.callback(self._hasher.close)
            ends.callback(self._resolver.close)
            await self._company.lock()
            ends.push_async_callback(self._company.unlock)
            await open_database(self.settings, ends)
            ends.push_async_callback(self.storage.close)
            await self.storage.check()
            ends.push_async_callback(self._providers.aclose)
            ends.push_async_callback(self._pool.close)
            await self._pool.start()
            ends.push_async_callback(self._company.leave)
            ends.push_async_callback(self._sharing.leave)
            async with self._company.entering() as alone:
                if alone:
                    await recover_at_start(self._deps)
                    await forget_interrupted_runs(self._deps.clock.now())
            self.engine.start()
            ends.push_async_callback(self.engine.stop, self.settings.shutdown_grace_seconds)
            # Beside the work: a service that does not answer is not to hold up the start.
            probing = asyncio.create_task(log_probes(self._providers.probes))
            ends.callback(probing.cancel)
            try:
                yield
            finally:
                self.draining = True

    async def ready(self) -> bool:
        """Tell whether the process can take requests and work on tasks now."""
        return not self.draining and self.engine.healthy and await self._readiness.get()

    async def _reachable(self) -> bool:
        """Look whether the database answers and may grow, and the storage takes files, which writes one."""
        try:
            await db.ping()
            await self.storage.check()
            return await is_writable(self.settings)
        except (StorageError, *db.DATABASE_ERRORS):
            return False
