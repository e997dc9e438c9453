"""Accounts and their sessions: signing up, logging in and out, and who a token or an API key belongs to.

Every log-in opens a session row, and every token names its session. A token is good while its session is, so ending
the row ends all of them, in every process. Passwords are hashed before a transaction, never inside one; what may have
changed meanwhile is compared inside it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from tortoise.exceptions import IntegrityError
from tortoise.queryset import QuerySet

from domain import db
from domain.api_keys import end_keys, find_key
from domain.audit import record_action
from domain.clock import Clock
from domain.emails import normalise_email
from domain.errors import EmailTaken, InvalidCredentials, InvalidInput, Unauthenticated
from domain.ids import IdPrefix, new_id, prefix_of
from domain.key_text import PREFIX
from domain.key_usage import use_is_news
from domain.kinds import ApiKeyScope, Role
from domain.models.accounts import Session, User
from domain.password_attempts import PasswordAttempts
from domain.passwords import PasswordHasher, check_password
from domain.sessions import end_sessions, end_surplus_sessions, shown_agent
from domain.settings import Settings
from domain.text import checked_text
from domain.tokens import InvalidToken, TokenIssuer

MAX_DISPLAY_NAME: Final = 120
#: As the audit log calls it: what `wonder create-admin` did.
_CREATE_ADMIN: Final = "createAdmin"
_EMAIL_PATH: Final = ("input", "email")
_PASSWORD_PATH: Final = ("input", "password")
#: Of what is no address, so much tells one from another.
_COUNTED_CHARACTERS: Final = 400


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who asks, and until when that is certain."""

    user: User
    #: The session, or the API key, that vouches for them.
    session_id: str
    expires_at: datetime
    #: Of the API key; None for a session, which may do all that its user may.
    scopes: frozenset[ApiKeyScope] | None = None

    @property
    def is_admin(self) -> bool:
        """Tell whether they act as an administrator; one with a key that lacks the scope acts as a user."""
        return self.user.role is Role.ADMIN and self.may(ApiKeyScope.ADMIN)

    def may(self, scope: ApiKeyScope) -> bool:
        """Tell whether a scope is granted; to read is, with every key."""
        return self.scopes is None or scope is ApiKeyScope.READ or scope in self.scopes


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A user with a fresh pair of tokens; `expires_at` is that of the access token."""

    user: User
    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    expires_at: datetime


def _tell_nobody(_id: str) -> None:
    """Close nothing: where no sockets are open, an ended session has none to close; nor note the use of a key."""


class Accounts:
    """The rules of accounts.

    `on_revoked` is told the id of every session and API key that ends before its time, `on_key_used` that of every API
    key whose last use is worth noting.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        tokens: TokenIssuer,
        passwords: PasswordHasher,
        on_revoked: Callable[[str], None] = _tell_nobody,
        on_key_used: Callable[[str], None] = _tell_nobody,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._tokens = tokens
        self._passwords = passwords
        self._on_revoked = on_revoked
        self._on_key_used = on_key_used
        self._attempts = PasswordAttempts(clock)

    async def signup(
        self, email: str, password: str, display_name: str | None, client_address: str = "", user_agent: str = ""
    ) -> SignedIn:
        """Open an account and a session of it. A name that is not given is the address's part before the @.

        Raises `InvalidInput` (also where signing up is closed), `WeakPassword`, `EmailTaken`.
        """
        if not self._settings.signups:
            raise InvalidInput("This server takes no new accounts. Ask its administrator for one.")
        address = normalise_email(email, _EMAIL_PATH)
        name = checked_text(display_name or "", maximum=MAX_DISPLAY_NAME, path=("input", "displayName"))
        check_password(password, _PASSWORD_PATH, (address, name))
        user = self._new_user(address, await self._passwords.hash(password), name)
        try:
            async with db.transaction():
                await user.save(force_create=True)
                await self._attempts.know(address, client_address)
                return await self._open_session(user, user_agent)
        except IntegrityError:
            raise EmailTaken(path=_EMAIL_PATH) from None

    async def login(self, email: str, password: str, client_address: str = "", user_agent: str = "") -> SignedIn:
        """Open a session.

        Raises `InvalidCredentials`, with one text and after one bcrypt run, whatever is wrong, and `RateLimited` after
        too many of them, whether there is such an account or not.
        """
        try:
            address = normalise_email(email, _EMAIL_PATH)
        except InvalidInput:
            address = ""
        attempt = await self._attempts.begin_login(address or email[:_COUNTED_CHARACTERS], client_address)
        user = await User.get_or_none(email=address)
        matches = await self._passwords.verify(password, user.password_hash if user else None)
        if user is None or not matches:
            raise InvalidCredentials
        ended: list[str] = []
        try:
            async with db.transaction():
                # The password may have been changed while it was being compared; from here on it cannot.
                current = await User.filter(id=user.id).select_for_update().first()
                if current is None or current.password_hash != user.password_hash or current.disabled_at is not None:
                    raise InvalidCredentials
                await self._attempts.succeed(attempt)
                ended += await end_surplus_sessions(current.id, self._clock.now())
                return await self._open_session(current, user_agent)
        finally:
            self._tell(ended)

    async def refresh(self, refresh_token: str) -> SignedIn:
        """Exchange a refresh token for a new pair; it is good once, and for `refresh_token_days`.

        One that comes a second time was stolen, from its owner or by them: its session ends, and the newer pair with
        it. Raises `InvalidCredentials`, with one text, whatever is wrong.
        """
        try:
            claims = self._tokens.read(refresh_token, "refresh")
        except InvalidToken:
            raise _no_such_session() from None
        now = self._clock.now()
        live = Session.filter(id=claims.session_id, user_id=claims.user_id, revoked_at__isnull=True, expires_at__gt=now)
        user = await User.get_or_none(id=claims.user_id, disabled_at__isnull=True)
        if user is not None:
            token_id = new_id(IdPrefix.TOKEN)
            token, expires_at = self._tokens.refresh(user.id, claims.session_id, token_id)
            # Compare and set: of several requests with one token a single one finds it current.
            current = live.filter(current_token_id=claims.token_id)
            if await current.update(current_token_id=token_id, expires_at=expires_at, last_used_at=now):
                return self._signed_in(user, claims.session_id, token)
        await self._end(claims.session_id, live)
        raise _no_such_session()

    async def logout(self, viewer: Viewer) -> None:
        """End the viewer's session: none of its tokens works any more."""
        await self._end(viewer.session_id, Session.filter(id=viewer.session_id, revoked_at__isnull=True))

    async def change_password(self, viewer: Viewer, current: str, new: str, user_agent: str = "") -> SignedIn:
        """Set a new password, end every session of the user and open a new one.

        Raises `InvalidCredentials` when the current password is wrong, `RateLimited` after too many of them,
        `WeakPassword`, `InvalidInput`, and `Unauthenticated` when the viewer's session has ended meanwhile.
        """
        check_password(new, ("input", "newPassword"), (viewer.user.email, viewer.user.display_name))
        attempt = await self._attempts.begin_confirmation(viewer.session_id)
        user = await User.get_or_none(id=viewer.user.id)
        if user is None or not await self._passwords.verify(current, user.password_hash):
            raise _wrong_current_password()
        new_hash = await self._passwords.hash(new)
        ended: list[str] = []
        try:
            async with db.transaction():
                # Compare and set: of two changes at once the second one's current password is current no more.
                unchanged = User.filter(id=user.id, password_hash=user.password_hash, disabled_at__isnull=True)
                if not await unchanged.update(password_hash=new_hash):
                    raise _wrong_current_password()
                ended += await end_sessions(user.id, self._clock.now())
                if viewer.session_id not in ended:
                    raise Unauthenticated
                user.password_hash = new_hash
                await self._attempts.succeed(attempt)
                return await self._open_session(user, user_agent)
        finally:
            self._tell(ended)

    async def authenticate(self, access_token: str) -> Viewer | None:
        """Return who the access token, or API key, stands for, with two statements; None whatever is wrong with it."""
        if access_token.startswith(PREFIX):
            return await self._key_holder(access_token)
        try:
            claims = self._tokens.read(access_token, "access")
        except InvalidToken:
            return None
        session = await Session.get_or_none(
            id=claims.session_id, user_id=claims.user_id, revoked_at__isnull=True, expires_at__gt=self._clock.now()
        )
        if session is None:
            return None
        user = await User.get_or_none(id=claims.user_id, disabled_at__isnull=True)
        return None if user is None else Viewer(user, session.id, min(claims.expires_at, session.expires_at))

    async def _key_holder(self, text: str) -> Viewer | None:
        now = self._clock.now()
        found = await find_key(text, now)
        if found is None:
            return None
        key, user = found
        if use_is_news(key.last_used_at, now):
            self._on_key_used(key.id)
        return Viewer(user, key.id, key.expires_at, frozenset(ApiKeyScope(scope) for scope in key.scopes))

    async def create_admin(self, email: str, password: str) -> User:
        """Open an administrator's account, or make the account of this address one, with this password.

        An account that was there gets the password too, and loses its sessions and API keys: whoever signed up with the
        administrator's address beforehand must not become one. Raises `InvalidInput`, `WeakPassword`.
        """
        address = normalise_email(email, ("email",))
        check_password(password, ("password",), (address,))
        user = self._new_user(address, await self._passwords.hash(password), "")
        user.role = Role.ADMIN
        try:
            async with db.transaction():
                await user.save(force_create=True)
                await record_action(user.id, _CREATE_ADMIN, user.created_at, target=user.id, promoted=False)
                return user
        except IntegrityError:
            return await self._promote(address, user.password_hash)

    async def user(self, user_id: str) -> User | None:
        """Return the user with this id, or None."""
        return await User.get_or_none(id=user_id) if prefix_of(user_id) is IdPrefix.USER else None

    async def forget_expired(self) -> int:
        """Remove rows of sessions and counts of wrong passwords whose time is over; returns how many. For a duty."""
        sessions = await Session.filter(expires_at__lte=self._clock.now()).delete()
        return sessions + await self._attempts.forget_expired()

    def _new_user(self, address: str, password_hash: str, name: str) -> User:
        return User(
            id=new_id(IdPrefix.USER),
            email=address,
            display_name=name or address.rpartition("@")[0][:MAX_DISPLAY_NAME],
            password_hash=password_hash,
            created_at=self._clock.now(),
        )

    async def _open_session(self, user: User, user_agent: str) -> SignedIn:
        session_id, token_id = new_id(IdPrefix.SESSION), new_id(IdPrefix.TOKEN)
        token, expires_at = self._tokens.refresh(user.id, session_id, token_id)
        await Session.create(
            id=session_id,
            user_id=user.id,
            current_token_id=token_id,
            user_agent=shown_agent(user_agent),
            created_at=self._clock.now(),
            last_used_at=self._clock.now(),
            expires_at=expires_at,
        )
        return self._signed_in(user, session_id, token)

    def _signed_in(self, user: User, session_id: str, refresh_token: str) -> SignedIn:
        access_token, expires_at = self._tokens.access(user.id, session_id)
        return SignedIn(user, access_token, refresh_token, expires_at)

    async def _end(self, session_id: str, found: QuerySet[Session]) -> None:
        """End the session if it is found and pass it on, also when a cancellation hides whether it was. See `_tell`."""
        ended = True
        try:
            ended = bool(await found.update(revoked_at=self._clock.now()))
        finally:
            if ended:
                self._tell([session_id])

    async def _promote(self, address: str, password_hash: str) -> User:
        ended: list[str] = []
        now = self._clock.now()
        try:
            async with db.transaction():
                user = await User.filter(email=address).select_for_update().get()
                user.role, user.password_hash, user.disabled_at = Role.ADMIN, password_hash, None
                await user.save(update_fields=["role", "password_hash", "disabled_at"])
                ended += await end_sessions(user.id, now) + await end_keys(user.id, now)
                await record_action(user.id, _CREATE_ADMIN, now, target=user.id, promoted=True)
                return user
        finally:
            self._tell(ended)

    def _tell(self, session_ids: Iterable[str]) -> None:
        """Pass on which sessions ended.

        Called on every way out of the change, a cancellation during its commit included: a socket closed for nothing
        connects again, one left open would outlive its session.
        """
        for session_id in session_ids:
            self._on_revoked(session_id)


def _no_such_session() -> InvalidCredentials:
    return InvalidCredentials("The session has ended. Log in again.")


def _wrong_current_password() -> InvalidCredentials:
    return InvalidCredentials("The current password is wrong.", path=("input", "currentPassword"))
