"""Expected failures, as data."""

from domain.errors import DomainError
from schema.declare import described, output
from schema.enums import ErrorCode


@output
class UserError:
    """Something that the client, or the person at it, can put right."""

    code: ErrorCode = described("Why; stable.")
    message: str = described("What is wrong and what to do, for people.")
    path: list[str] | None = described('The input field at fault, such as ["input", "prompt"].')
    retry_after_seconds: int | None = described("When it is worth trying again.")

    @classmethod
    def of(cls, error: DomainError) -> "UserError":
        """Return a domain error as the API shows it."""
        return cls(
            code=ErrorCode(error.code),
            message=error.message,
            path=list(error.path) if error.path is not None else None,
            retry_after_seconds=error.retry_after_seconds,
        )
