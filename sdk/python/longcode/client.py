"""The client: one attribute per resource of the API."""

from __future__ import annotations

import time
from typing import Callable

from . import inbox, reports, resources
from .transport import Transport


class Longcode:
    """A client of one service.

    `retries` is how often a failed request is sent again, `timeout` is in seconds for each attempt. With
    `strict=False`, unknown names are ignored and listed in `warnings`. Replace `wait` in tests.
    """

    def __init__(
        self,
        *,
        token: str,
        base_url: str,
        timeout: float = 30,
        retries: int = 4,
        strict: bool = True,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        http = Transport(token, base_url, timeout, retries, strict, wait)
        self.account = resources.Account(http)
        self.tokens = resources.Tokens(http)
        self.brands = resources.Brands(http)
        self.campaigns = resources.Campaigns(http)
        self.numbers = resources.Numbers(http)
        self.optouts = resources.Optouts(http)
        self.messages = resources.Messages(http)
        self.conversations = inbox.Conversations(http)
        self.contacts = inbox.Contacts(http)
        self.saved_replies = inbox.SavedReplies(http)
        self.exports = reports.Exports(http)
        self.alerts = reports.Alerts(http)
        self.media = resources.Media(http)
        self.webhooks = resources.Webhooks(http)
        self.events = resources.Events(http)
        self.sandbox = resources.Sandbox(http)
