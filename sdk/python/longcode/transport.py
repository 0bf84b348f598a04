"""Sends one operation, with retries. Every retry of a change has the same idempotency key and the same bytes."""

from __future__ import annotations

import email.utils
import http.client
import json
import math
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Callable, Iterable, Iterator, Mapping, TypedDict

from .errors import LongcodeError
from .types import VERSION

_FIRST_DELAY_S = 0.5
_DELAY_MAX_S = 8.0
# The stream has something every 15 seconds.
_SILENCE_S = 45
_RECONNECT_S = 1.0
# If the service asks for a longer wait, the caller decides.
_RETRY_AFTER_MAX_S = 60
# Waiting does not help against these, although their status is 429 or 503.
_LASTING = {
    "calls_absent",
    "carrier_absent",
    "forwardings_too_many",
    "streams_too_many",
    "uploads_full",
}


class RequestOptions(TypedDict, total=False):
    """What a single request may change."""

    timeout: float
    retries: int
    idempotency_key: str
    strict: bool


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    # A redirect would lose the body or show the token to another host.
    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


class Transport:
    def __init__(
        self,
        token: str,
        base_url: str,
        timeout: float,
        retries: int,
        strict: bool,
        wait: Callable[[float], None],
    ) -> None:
        if not token:
            raise ValueError("token is required: an access token, lc_…")
        if not base_url.startswith(("http://", "https://")):
            raise ValueError("base_url must be an http(s) address, for example https://sms.example.com")
        self._token = token
        self._base = base_url.removesuffix("/")
        self._timeout = timeout
        self._retries = retries
        self._strict = strict
        self._wait = wait

    def request(
        self,
        route: str,
        options: RequestOptions,
        *,
        path: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        content_type: str = "application/json",
    ) -> Any:
        unknown = set(options) - set(RequestOptions.__annotations__)
        if unknown:
            raise TypeError(f"unknown option: {', '.join(sorted(unknown))}")
        method, template = route.split(" ")
        url = self._base + _fill_path(template, path or {}) + _query_string(query or {})
        key = None if method == "GET" else options.get("idempotency_key", str(uuid.uuid4()))
        headers = self._headers(options.get("strict", self._strict))
        if key is not None:
            headers["Idempotency-Key"] = key
        data = None
        if body is not None:
            headers["Content-Type"] = content_type
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(url, data, headers, method=method)
        attempt = 0
        while True:
            try:
                return self._attempt(request, key, options.get("timeout", self._timeout))
            except LongcodeError as error:
                delay = _retry_delay(error, attempt)
                if delay is None or attempt >= options.get("retries", self._retries):
                    raise
            self._wait(delay)
            attempt += 1

    def events(self, last_event_id: str | None) -> Iterator[tuple[str | None, str, Any]]:
        """The events of the stream: ID, name, and data. Ends with the connection, and raises what a request raises."""
        headers = self._headers(self._strict)
        if last_event_id is not None:
            headers["Last-Event-ID"] = last_event_id
        request = urllib.request.Request(f"{self._base}/v1/events/stream", headers=headers)
        try:
            try:
                response = _opener.open(request, timeout=_SILENCE_S)
            except urllib.error.HTTPError as failure:
                with failure:
                    text = failure.read()
                _read_reply(failure.status or 0, failure.headers, text, None)
                return
            with response:
                yield from _read_server_sent(response)
        except (OSError, http.client.HTTPException) as cause:
            message, code = "The stream was interrupted.", "connection_failed"
            raise LongcodeError(message, code=code) from cause

    def reconnect_delay(self, error: LongcodeError | None, attempt: int) -> float | None:
        """None if the stream should not be opened again."""
        return _RECONNECT_S if error is None else _retry_delay(error, attempt)

    def wait(self, seconds: float) -> None:
        self._wait(seconds)

    def _headers(self, strict: bool) -> dict[str, str]:
        headers = {
            "Authorization": f"Bearer {self._token}",
            "User-Agent": f"longcode-python/{VERSION}",
        }
        if strict:
            headers["Prefer"] = "handling=strict"
        return headers

    def _attempt(self, request: urllib.request.Request, key: str | None, timeout: float) -> Any:
        try:
            try:
                response = _opener.open(request, timeout=timeout)
            except urllib.error.HTTPError as failure:
                response = failure
            with response:
                status, headers, text = response.status, response.headers, response.read()
        except (OSError, http.client.HTTPException) as cause:
            reason = getattr(cause, "reason", cause)
            if isinstance(reason, TimeoutError):
                message, code = f"No response within {timeout} seconds.", "timed_out"
            else:
                message, code = "The connection to the service failed.", "connection_failed"
            raise LongcodeError(message, code=code, idempotency_key=key) from cause
        return _read_reply(status, headers, text, key)


def _read_server_sent(lines: Iterable[bytes]) -> Iterator[tuple[str | None, str, Any]]:
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.decode().rstrip("\r\n").partition(":")
        if name:
            fields[name] = value.removeprefix(" ")
            continue
        if "data" in fields:
            yield fields.get("id"), fields.get("event", "message"), json.loads(fields["data"])
        fields = {}


def _read_reply(status: int, headers: Any, text: bytes, key: str | None) -> Any:
    if 200 <= status < 300 and headers.get("Content-Type", "").startswith("text/csv"):
        return text.decode()
    try:
        reply = json.loads(text)
    except ValueError:
        reply = None  # a proxy may respond with a page
    is_success = 200 <= status < 300
    if is_success and reply is not None:
        return reply
    fields = reply if isinstance(reply, dict) else {}
    if is_success:
        message, code = "The response is not JSON, or only part of it arrived.", "response_unreadable"
    else:
        message = fields.get("error", f"The service responded with HTTP status {status}.")
        code = fields.get("code", f"http_{status}")
    raise LongcodeError(
        message,
        code=code,
        status=status,
        details=fields.get("details", ()),
        request_id=fields.get("requestId") or headers.get("x-request-id"),
        help=fields.get("help"),
        retry_after_seconds=_read_retry_after(headers.get("retry-after")),
        idempotency_key=key,
    )


def _retry_delay(error: LongcodeError, attempt: int) -> float | None:
    """None if the request should not be sent again."""
    if not _is_retryable(error):
        return None
    if error.retry_after_seconds is not None:
        return error.retry_after_seconds if error.retry_after_seconds <= _RETRY_AFTER_MAX_S else None
    # Random jitter, so clients do not retry in lockstep.
    grown = _FIRST_DELAY_S * math.pow(2, min(attempt, 10))
    return min(grown, _DELAY_MAX_S) * random.uniform(0.5, 1)


def _is_retryable(error: LongcodeError) -> bool:
    if error.code in _LASTING:
        return False
    if error.status is None or error.code in ("response_unreadable", "idempotency_in_flight"):
        return True
    return error.status == 429 or error.status >= 500


def _read_retry_after(header: str | None) -> float | None:
    if header is None:
        return None
    if header.isdigit():
        return float(header)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None


def _fill_path(template: str, path: Mapping[str, str]) -> str:
    def fill(match: re.Match[str]) -> str:
        value = path.get(match[1])
        if not value:  # an empty ID would address another route
            raise ValueError(f"{match[1]} is required")
        return urllib.parse.quote(value, safe="")

    return re.sub(r"\{(\w+)\}", fill, template)


def _query_string(query: Mapping[str, Any]) -> str:
    pairs = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in query.items()
        if value is not None
    }
    return f"?{urllib.parse.urlencode(pairs)}" if pairs else ""
