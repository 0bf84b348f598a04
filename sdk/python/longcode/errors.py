"""The one error that the client raises. `code` tells refusals, lost connections, and webhooks that are not genuine apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

if TYPE_CHECKING:
    from .types import FieldProblem


class LongcodeError(Exception):
    """A refused request, a request without an answer, or a webhook that is not genuine."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int | None = None,
        details: Sequence[FieldProblem] = (),
        request_id: str | None = None,
        help: str | None = None,
        retry_after_seconds: float | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        #: The HTTP status. None if there was no response.
        self.status = status
        #: The fields that are wrong, and why.
        self.details = list(details)
        #: Include it when you ask for help.
        self.request_id = request_id
        #: A link to an explanation of this failure.
        self.help = help
        self.retry_after_seconds = retry_after_seconds
        #: If you cannot tell whether the request was carried out, repeat it with this key: nothing is done twice.
        self.idempotency_key = idempotency_key

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"
