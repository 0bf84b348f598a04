"""Verifies what a webhook received (Standard Webhooks: HMAC-SHA256 of id.timestamp.body) and returns the event."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Callable, Mapping, Protocol, Sequence, cast

from .errors import LongcodeError
from .types import WebhookEvent

_REMEMBERED_MAX = 100_000


class ReplayStore(Protocol):
    """Remembers requests, so a copy of one is refused. Several processes need a shared store, such as Redis."""

    def add(self, key: str, ttl_seconds: float) -> bool:
        """Returns False if the store already has the key. It may delete the key after this time."""


class MemoryStore:
    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._until: dict[str, float] = {}
        self._now = now

    def add(self, key: str, ttl_seconds: float) -> bool:
        now = self._now()
        # In order of insertion, which is also the order of expiry.
        while self._until:
            oldest = next(iter(self._until))
            if self._until[oldest] > now and len(self._until) < _REMEMBERED_MAX:
                break
            del self._until[oldest]
        if key in self._until:
            return False
        self._until[key] = now + ttl_seconds
        return True


class WebhookVerifier:
    """Takes the secret of a webhook, or several. With `replays=None`, replays are not detected."""

    def __init__(
        self,
        secret: str | Sequence[str],
        *,
        tolerance_seconds: float = 300,
        replays: ReplayStore | None | str = "memory",
        now: Callable[[], float] = time.time,
    ) -> None:
        secrets = [secret] if isinstance(secret, str) else list(secret)
        if not secrets:
            raise ValueError("a webhook secret is required")
        self._keys = [_read_secret(one) for one in secrets]
        self._tolerance = tolerance_seconds
        self._now = now
        self._replays = MemoryStore(now) if isinstance(replays, str) else replays

    def verify(self, body: bytes | str, headers: Mapping[str, str]) -> WebhookEvent:
        """Takes the body exactly as received. Raises a LongcodeError whose code tells what is wrong.

        A later attempt of the service has a new timestamp and is not a replay: drop duplicates by the event's id.
        """
        data = body.encode() if isinstance(body, str) else body
        lower = {name.lower(): value for name, value in headers.items()}
        event_id, sent_at, signatures = (
            _header(lower, name)
            for name in ("webhook-id", "webhook-timestamp", "webhook-signature")
        )
        signed = f"{event_id}.{sent_at}.".encode() + data
        expected = [
            b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
            for key in self._keys
        ]
        given = signatures.encode().split(b" ")
        if not any(hmac.compare_digest(one, other) for one in expected for other in given):
            raise LongcodeError(
                "The signature is wrong. Check the secret, and pass the body exactly as received.",
                code="webhook_signature_wrong",
            )
        self._verify_time(sent_at)
        # Two attempts for one event differ in their timestamps. Only a copy of a request has both in common.
        if self._replays and not self._replays.add(f"{event_id}.{sent_at}", 2 * self._tolerance):
            raise LongcodeError(
                "This request was already received: it is a replay.", code="webhook_replayed"
            )
        try:
            return cast(WebhookEvent, json.loads(data))
        except ValueError as cause:
            raise LongcodeError("The body is not JSON.", code="webhook_body_unreadable") from cause

    def _verify_time(self, sent_at: str) -> None:
        age = self._now() - int(sent_at) if sent_at.isdigit() else -float("inf")
        if age > self._tolerance:
            raise LongcodeError(f"The request is {age:.0f} seconds old.", code="webhook_too_old")
        if age < -self._tolerance:
            raise LongcodeError(
                "The request is from the future. Check your clock.", code="webhook_too_new"
            )


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if not value:
        raise LongcodeError(f"The request has no {name} header.", code="webhook_headers_missing")
    return value


def _read_secret(secret: str) -> bytes:
    try:
        if secret.startswith("whsec_"):
            return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        pass
    raise ValueError("This is not a webhook secret. Secrets start with whsec_ followed by base64.")
