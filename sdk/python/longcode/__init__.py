"""A client of the Longcode API: send and receive SMS and MMS, and verify webhooks. It needs only the standard library."""

from .client import Longcode
from .errors import LongcodeError
from .types import VERSION as __version__
from .webhook_verifier import ReplayStore, WebhookVerifier

__all__ = ["Longcode", "LongcodeError", "ReplayStore", "WebhookVerifier", "__version__"]
