"""Users, their sessions and their API keys."""

from tortoise import fields
from tortoise.indexes import Index
from tortoise.models import Model

from domain.kinds import Role


class User(Model):
    """A person with an account."""

    id = fields.CharField(max_length=40, primary_key=True)
    # Normalised, so that one mailbox is one account.
    email = fields.CharField(max_length=320, unique=True)
    display_name = fields.CharField(max_length=120)
    password_hash = fields.CharField(max_length=120)
    role = fields.CharEnumField(Role, default=Role.USER, max_length=16)
    # This user's own limit of active tasks; None means the server's.
    max_active_tasks = fields.IntField(null=True)
    # How many bytes this user may store, of their own. None means as the server says.
    max_storage_bytes = fields.BigIntField(null=True)
    # What the user's tasks may cost in a month, in millionths of the operator's money. None: as the server says.
    monthly_budget_micros = fields.BigIntField(null=True)
    disabled_at = fields.DatetimeField(null=True)
    created_at = fields.DatetimeField()

    class Meta:
        table = "user_account"
        indexes = [Index(fields=("created_at", "id"))]


class Session(Model):
    """One log-in: the family of its refresh tokens, of which one at a time is good."""

    id = fields.CharField(max_length=40, primary_key=True)
    user_id = fields.CharField(max_length=40)
    # The `jti` of the only refresh token that may be used next.
    current_token_id = fields.CharField(max_length=40)
    # What the client that logged in calls itself.
    user_agent = fields.CharField(max_length=200, null=True)
    created_at = fields.DatetimeField()
    # The log-in or the last refresh. Tokens are refreshed while they are used.
    last_used_at = fields.DatetimeField(null=True)
    expires_at = fields.DatetimeField()
    revoked_at = fields.DatetimeField(null=True)

    class Meta:
        table = "session"
        indexes = [Index(fields=("user_id", "created_at", "id")), Index(fields=("expires_at",))]


class ApiKey(Model):
    """A credential for programs. Of the key itself only its hash is kept."""

    id = fields.CharField(max_length=40, primary_key=True)
    user_id = fields.CharField(max_length=40)
    name = fields.CharField(max_length=100)
    # SHA-256 of the key's text, in hexadecimal. The key has 256 random bits, so that it needs no salt and no slow hash.
    key_hash = fields.CharField(max_length=64, unique=True)
    # How the key begins and ends, for people who have several.
    hint = fields.CharField(max_length=20)
    # Names of `ApiKeyScope`.
    scopes: fields.Field[list[str]] = fields.JSONField()
    created_at = fields.DatetimeField()
    expires_at = fields.DatetimeField()
    # To the minute.
    last_used_at = fields.DatetimeField(null=True)
    revoked_at = fields.DatetimeField(null=True)

    class Meta:
        table = "api_key"
        indexes = [Index(fields=("user_id", "created_at", "id")), Index(fields=("expires_at",))]


class PasswordAttempts(Model):
    """How often a password was guessed wrong, of an account from an address, of an account at all, or in a session."""

    # SHA-256 of what is counted, so that the table names nobody.
    id = fields.CharField(max_length=64, primary_key=True)
    failures = fields.IntField(default=0)
    failed_at = fields.DatetimeField(null=True)
    # When the next attempt is looked at.
    retry_at = fields.DatetimeField(null=True)
    # Until when the address is taken for the owner's, who has logged in from there.
    known_until = fields.DatetimeField(null=True)
    # When the row says nothing any more.
    expires_at = fields.DatetimeField()

    class Meta:
        table = "password_attempts"
        indexes = [Index(fields=("expires_at",))]
