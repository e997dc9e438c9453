"""Input of accounts."""

from datetime import datetime

from schema.declare import described, input_object, optional
from schema.enums import ApiKeyScope


@input_object
class SignupInput:
    """A new account."""

    email: str = described("The address; one account each.")
    password: str = described("8 to 72 bytes in UTF-8; what is guessed first is refused.")
    display_name: str | None = optional("What to call you; the part of the address before the @ unless told.")


@input_object
class LoginInput:
    """Who you are."""

    email: str = described("The account's address, in any case.")
    password: str = described("Its password.")


@input_object
class ChangePasswordInput:
    """A new password for the account that asks."""

    current_password: str = described("The password until now.")
    new_password: str = described("8 to 72 bytes in UTF-8.")


@input_object
class CreateApiKeyInput:
    """A new API key."""

    name: str = described("What it is for, 1 to 100 characters.")
    scopes: list[ApiKeyScope] = described("What it may be used for; at least one.")
    expires_in_days: int | None = optional("How long it is good, 1 to 3650 days; 90 unless told.")
    expires_at: datetime | None = optional("Until when it is good, instead of `expiresInDays`.")
