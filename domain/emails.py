"""Email addresses: one mailbox, one spelling."""

import unicodedata
from collections.abc import Sequence
from typing import Final

import email_validator

from domain.errors import InvalidInput

#: Of an address in SMTP, in bytes (RFC 5321, section 4.5.3.1.3, less the angle brackets).
MAX_BYTES: Final = 254

# Wonder sends no mail and runs in local networks too, where such names are real.
email_validator.SPECIAL_USE_DOMAIN_NAMES[:] = [
    name for name in email_validator.SPECIAL_USE_DOMAIN_NAMES if name not in {"local", "test"}
]


def normalise_email(value: str, path: Sequence[str]) -> str:
    """Return the address in the one spelling that stands for its mailbox, or raise `InvalidInput`.

    Case and the several encodings of one character make no difference; a domain in punycode is written out. Whether
    the mailbox exists is not asked.
    """
    if len(value) > MAX_BYTES + 64:  # room for spaces around it; what is longer is not worth parsing
        raise InvalidInput("This email address is too long.", path=path)
    try:
        parts = email_validator.validate_email(value.strip(), check_deliverability=False)
    except email_validator.EmailNotValidError as error:
        raise InvalidInput(f"This is not a valid email address. {error}", path=path) from None
    # Caseless matching of Unicode, section 3.13, D145. The domain is left as IDNA made it: folding a sharp s would turn
    # it into another domain.
    local = unicodedata.normalize("NFD", parts.local_part).casefold()
    address = f"{unicodedata.normalize('NFC', local)}@{parts.domain}"
    if len(address.encode()) > MAX_BYTES:  # folding may have made it longer
        raise InvalidInput("This email address is too long.", path=path)
    return address
