"""The resources of the API. Methods take its bodies and queries and return its replies, unchanged."""

# Replies are JSON, whose types the service promises.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import Any, Iterator, Unpack

from . import types as t
from .errors import LongcodeError
from .list import List
from .transport import RequestOptions, Transport


def _digits(number: str) -> str:
    """Paths have the digits of a number."""
    return number.replace("+", "")


class _Resource:
    def __init__(self, http: Transport) -> None:
        self._http = http


class Messages(_Resource):
    """Messages, newest first in lists."""

    def send(
        self, body: t.SendMessageBody, **options: Unpack[RequestOptions]
    ) -> t.SendMessageReply:
        """Sends an SMS or MMS."""
        return self._http.request("POST /v1/message/send", options, body=body)

    def send_batch(
        self, body: t.SendBatchBody, **options: Unpack[RequestOptions]
    ) -> t.SendBatchReply:
        """Sends up to 1,000 messages. Each has its own result."""
        return self._http.request("POST /v1/message/batch", options, body=body)

    def preview(
        self, body: t.PreviewMessageBody, **options: Unpack[RequestOptions]
    ) -> t.PreviewMessageReply:
        """Segments and price. Nothing is sent or charged."""
        return self._http.request("POST /v1/message/preview", options, body=body)

    def preview_batch(
        self, body: t.PreviewBatchBody, **options: Unpack[RequestOptions]
    ) -> t.PreviewBatchReply:
        return self._http.request("POST /v1/message/batch/preview", options, body=body)

    def get(self, id: str, **options: Unpack[RequestOptions]) -> t.GetMessageReply:
        return self._http.request("GET /v1/message/{id}", options, path={"id": id})

    def list(
        self, query: t.ListMessagesQuery, **options: Unpack[RequestOptions]
    ) -> List[t.Message]:
        """The messages of a campaign."""
        route = "GET /v1/message/list"
        return List(self._http, route, query, options, "messages", "id")

    def search(
        self, query: t.SearchMessagesQuery = {}, **options: Unpack[RequestOptions]
    ) -> List[t.Message]:
        """Messages across campaigns."""
        route = "GET /v1/message/search"
        return List(self._http, route, query, options, "messages", "id")

    def cancel(self, id: str, **options: Unpack[RequestOptions]) -> t.CancelMessageReply:
        """Cancels a SCHEDULED message and refunds it."""
        return self._http.request("DELETE /v1/message/{id}", options, path={"id": id})

    def timeline(self, id: str, **options: Unpack[RequestOptions]) -> t.GetTimelineReply:
        """What happened to a message, step by step."""
        return self._http.request("GET /v1/message/{id}/timeline", options, path={"id": id})

    def stats(
        self, query: t.GetMessageStatsQuery = {}, **options: Unpack[RequestOptions]
    ) -> t.GetMessageStatsReply:
        return self._http.request("GET /v1/stats/messages", options, query=query)

    def errors(self, **options: Unpack[RequestOptions]) -> t.ListErrorsReply:
        """Every errorCode that a message can have."""
        return self._http.request("GET /v1/error/list", options)


class Brands(_Resource):
    """Legal entities that send."""

    def create(self, body: t.CreateBrandBody, **options: Unpack[RequestOptions]) -> t.BrandReply:
        return self._http.request("POST /v1/brand/create", options, body=body)

    def draft(self, body: t.BrandFields, **options: Unpack[RequestOptions]) -> t.BrandReply:
        """Saves a brand without submitting it."""
        return self._http.request("POST /v1/brand/draft", options, body=body)

    def get(self, id: str, **options: Unpack[RequestOptions]) -> t.GetBrandReply:
        return self._http.request("GET /v1/brand/{id}", options, path={"id": id})

    def list(
        self, query: t.ListBrandsQuery = {}, **options: Unpack[RequestOptions]
    ) -> List[t.Brand]:
        route = "GET /v1/brand/list"
        return List(self._http, route, query, options, "brands", "id")

    def update(
        self, id: str, body: t.BrandFields, **options: Unpack[RequestOptions]
    ) -> t.BrandReply:
        return self._http.request("PATCH /v1/brand/{id}", options, path={"id": id}, body=body)

    def submit(self, id: str, **options: Unpack[RequestOptions]) -> t.BrandReply:
        return self._http.request("POST /v1/brand/{id}/submit", options, path={"id": id})


class Campaigns(_Resource):
    """Purposes of messages, reviewed before they can send."""

    def create(
        self, body: t.CreateCampaignBody, **options: Unpack[RequestOptions]
    ) -> t.SubmitCampaignReply:
        """Creates a campaign and charges the creation fee."""
        return self._http.request("POST /v1/campaign/create", options, body=body)

    def check(
        self, body: t.CreateCampaignBody, **options: Unpack[RequestOptions]
    ) -> t.CheckCampaignReply:
        """Lists what a reviewer would reject. Costs nothing."""
        return self._http.request("POST /v1/campaign/check", options, body=body)

    def draft(
        self, body: t.DraftCampaignBody, **options: Unpack[RequestOptions]
    ) -> t.CampaignReply:
        """Saves a campaign without submitting it."""
        return self._http.request("POST /v1/campaign/draft", options, body=body)

    def get(self, id: str, **options: Unpack[RequestOptions]) -> t.GetCampaignReply:
        return self._http.request("GET /v1/campaign/{id}", options, path={"id": id})

    def list(
        self, query: t.ListCampaignsQuery = {}, **options: Unpack[RequestOptions]
    ) -> List[t.Campaign]:
        route = "GET /v1/campaign/list"
        return List(self._http, route, query, options, "campaigns", "id")

    def update(
        self, id: str, body: t.PatchCampaignBody, **options: Unpack[RequestOptions]
    ) -> t.CampaignReply:
        return self._http.request("PATCH /v1/campaign/{id}", options, path={"id": id}, body=body)

    def submit(self, id: str, **options: Unpack[RequestOptions]) -> t.SubmitCampaignReply:
        return self._http.request("POST /v1/campaign/{id}/submit", options, path={"id": id})

    def limits(self, id: str, **options: Unpack[RequestOptions]) -> t.GetLimitsReply:
        """How much of each carrier limit is used."""
        return self._http.request("GET /v1/campaign/{id}/limits", options, path={"id": id})

    def preview_end(
        self, id: str, query: t.PreviewCampaignEndQuery = {}, **options: Unpack[RequestOptions]
    ) -> t.PreviewCampaignEndReply:
        route = "GET /v1/campaign/{id}/end"
        return self._http.request(
            route, options, path={"id": id}, query=query
        )

    def end(
        self, id: str, body: t.EndCampaignBody, **options: Unpack[RequestOptions]
    ) -> t.EndCampaignReply:
        """Ends a campaign for good."""
        return self._http.request("POST /v1/campaign/{id}/end", options, path={"id": id}, body=body)


class Numbers(_Resource):
    """Phone numbers, with or without the plus sign."""

    def search(
        self, query: t.SearchNumbersQuery = {}, **options: Unpack[RequestOptions]
    ) -> t.SearchNumbersReply:
        """Numbers for sale."""
        return self._http.request("GET /v1/number/search", options, query=query)

    def buy(self, body: t.BuyNumberBody, **options: Unpack[RequestOptions]) -> t.BuyNumberReply:
        return self._http.request("POST /v1/number/buy", options, body=body)

    def get(self, number: str, **options: Unpack[RequestOptions]) -> t.GetNumberReply:
        route = "GET /v1/number/{number}"
        return self._http.request(
            route, options, path={"number": _digits(number)}
        )

    def list(
        self, query: t.ListNumbersQuery = {}, **options: Unpack[RequestOptions]
    ) -> List[t.ListedNumber]:
        """The numbers of all campaigns."""
        route = "GET /v1/number/list"
        return List(self._http, route, query, options, "numbers", "phoneNumber")

    def list_for_campaign(
        self, campaign: str, **options: Unpack[RequestOptions]
    ) -> List[t.OwnedNumber]:
        route = "GET /v1/campaign/{id}/numbers"
        return List(self._http, route, None, options, "numbers", "phoneNumber", path={"id": campaign})

    def set_forwarding(
        self, number: str, body: t.SetForwardingBody, **options: Unpack[RequestOptions]
    ) -> t.SetForwardingReply:
        """Forwards calls to another number. None stops it."""
        route = "PATCH /v1/number/{number}/forwarding"
        return self._http.request(
            route, options, path={"number": _digits(number)}, body=body
        )

    def set_default(
        self, number: str, **options: Unpack[RequestOptions]
    ) -> t.SetDefaultNumberReply:
        """Makes this the number that its campaign sends from."""
        route = "POST /v1/number/{number}/default"
        return self._http.request(
            route, options, path={"number": _digits(number)}
        )

    def calls(
        self, number: str, query: t.GetNumberCallsQuery = {}, **options: Unpack[RequestOptions]
    ) -> t.GetNumberCallsReply:
        route = "GET /v1/number/{number}/calls"
        return self._http.request(
            route, options, path={"number": _digits(number)}, query=query
        )

    def release(self, number: str, **options: Unpack[RequestOptions]) -> t.ReleaseNumberReply:
        route = "DELETE /v1/number/{number}"
        return self._http.request(
            route, options, path={"number": _digits(number)}
        )


class Optouts(_Resource):
    """Recipients who must not get messages from a campaign."""

    def list(
        self, campaign: str, query: t.ListOptoutsQuery = {}, **options: Unpack[RequestOptions]
    ) -> List[t.Optout]:
        route = "GET /v1/campaign/{id}/optouts"
        return List(self._http, route, query, options, "optouts", "recipient", path={"id": campaign})

    def changes(
        self, campaign: str, recipient: str, **options: Unpack[RequestOptions]
    ) -> t.ListOptoutChangesReply:
        """When a recipient opted out and in."""
        route = "GET /v1/campaign/{id}/optouts/{number}"
        return self._http.request(
            route, options, path={"id": campaign, "number": _digits(recipient)}
        )

    def add(
        self, campaign: str, recipient: str, body: t.PutOptoutBody, **options: Unpack[RequestOptions]
    ) -> t.PutOptoutReply:
        route = "PUT /v1/campaign/{id}/optouts/{number}"
        return self._http.request(
            route, options, path={"id": campaign, "number": _digits(recipient)}, body=body
        )

    def remove(
        self, campaign: str, recipient: str, query: t.DeleteOptoutQuery, **options: Unpack[RequestOptions]
    ) -> t.DeleteOptoutReply:
        """Only with the consent of the recipient."""
        route = "DELETE /v1/campaign/{id}/optouts/{number}"
        return self._http.request(
            route, options, path={"id": campaign, "number": _digits(recipient)}, query=query
        )


class Webhooks(_Resource):
    """Webhooks and their deliveries."""

    def create(
        self, campaign: str, body: t.CreateWebhookBody, **options: Unpack[RequestOptions]
    ) -> t.CreateWebhookReply:
        route = "POST /v1/campaign/{id}/webhooks"
        return self._http.request(
            route, options, path={"id": campaign}, body=body
        )

    def get(self, id: str, **options: Unpack[RequestOptions]) -> t.GetWebhookReply:
        return self._http.request("GET /v1/webhook/{id}", options, path={"id": id})

    def list(
        self, query: t.ListWebhooksQuery = {}, **options: Unpack[RequestOptions]
    ) -> List[t.Webhook]:
        """The webhooks of all campaigns."""
        route = "GET /v1/webhook/list"
        return List(self._http, route, query, options, "webhooks", "id")

    def list_for_campaign(
        self, campaign: str, **options: Unpack[RequestOptions]
    ) -> List[t.Webhook]:
        route = "GET /v1/campaign/{id}/webhooks"
        return List(self._http, route, None, options, "webhooks", "id", path={"id": campaign})

    def update(
        self, id: str, body: t.UpdateWebhookBody, **options: Unpack[RequestOptions]
    ) -> t.UpdateWebhookReply:
        return self._http.request("PATCH /v1/webhook/{id}", options, path={"id": id}, body=body)

    def delete(self, id: str, **options: Unpack[RequestOptions]) -> t.DeleteWebhookReply:
        return self._http.request("DELETE /v1/webhook/{id}", options, path={"id": id})

    def rotate_secret(
        self, id: str, **options: Unpack[RequestOptions]
    ) -> t.RotateWebhookSecretReply:
        """For 24 hours, events are signed with both secrets."""
        return self._http.request("POST /v1/webhook/{id}/rotate", options, path={"id": id})

    def test(
        self, id: str, body: t.TestWebhookBody = {}, **options: Unpack[RequestOptions]
    ) -> t.TestWebhookReply:
        """Sends a test event to this webhook."""
        return self._http.request("POST /v1/webhook/{id}/test", options, path={"id": id}, body=body)

    def list_deliveries(
        self, id: str, query: t.ListDeliveriesQuery = {}, **options: Unpack[RequestOptions]
    ) -> List[t.Delivery]:
        """What was sent, with every attempt."""
        route = "GET /v1/webhook/{id}/deliveries"
        return List(self._http, route, query, options, "deliveries", "id", path={"id": id})

    def get_delivery(
        self, id: str, delivery_id: str, **options: Unpack[RequestOptions]
    ) -> t.GetDeliveryReply:
        route = "GET /v1/webhook/{id}/deliveries/{deliveryId}"
        return self._http.request(
            route, options, path={"id": id, "deliveryId": delivery_id}
        )

    def replay_delivery(
        self, id: str, delivery_id: str, **options: Unpack[RequestOptions]
    ) -> t.ReplayDeliveryReply:
        route = "POST /v1/webhook/{id}/deliveries/{deliveryId}/replay"
        return self._http.request(
            route, options, path={"id": id, "deliveryId": delivery_id}
        )

    def preview_recovery(
        self, id: str, query: t.PreviewRecoveryQuery = {}, **options: Unpack[RequestOptions]
    ) -> t.PreviewRecoveryReply:
        """What `recover` would send."""
        route = "GET /v1/webhook/{id}/recover"
        return self._http.request(
            route, options, path={"id": id}, query=query
        )

    def recover(
        self, id: str, body: t.RecoverDeliveriesBody, **options: Unpack[RequestOptions]
    ) -> t.RecoverDeliveriesReply:
        """Sends held and failed deliveries again. Repeat while hasMore is true."""
        route = "POST /v1/webhook/{id}/recover"
        return self._http.request(
            route, options, path={"id": id}, body=body
        )


class Account(_Resource):
    """The account of the token."""

    def get(self, **options: Unpack[RequestOptions]) -> t.GetAccountReply:
        return self._http.request("GET /v1/account", options)

    def update(
        self, body: t.UpdateAccountBody, **options: Unpack[RequestOptions]
    ) -> t.UpdateAccountReply:
        return self._http.request("PATCH /v1/account", options, body=body)

    def ledger(
        self, query: t.ListLedgerQuery = {}, **options: Unpack[RequestOptions]
    ) -> List[t.LedgerEntry]:
        """Every charge, refund, and credit."""
        route = "GET /v1/account/ledger"
        return List(self._http, route, query, options, "entries", "id")

    def prices(self, **options: Unpack[RequestOptions]) -> t.GetPricesReply:
        return self._http.request("GET /v1/account/prices", options)

    def usage(
        self, query: t.GetUsageQuery = {}, **options: Unpack[RequestOptions]
    ) -> t.GetUsageReply:
        return self._http.request("GET /v1/account/usage", options, query=query)

    def balances(
        self, query: t.ListBalancesQuery = {}, **options: Unpack[RequestOptions]
    ) -> t.ListBalancesReply:
        """The balance at the end of each day."""
        return self._http.request("GET /v1/account/balances", options, query=query)

    def statement(self, month: str, **options: Unpack[RequestOptions]) -> t.GetStatementReply:
        """The month is written as 2026-11."""
        route = "GET /v1/account/statement/{month}"
        return self._http.request(
            route, options, path={"month": month}
        )

    def get_twilio_credential(
        self, **options: Unpack[RequestOptions]
    ) -> t.GetTwilioCredentialReply:
        """For apps written for Twilio. None if there is none."""
        return self._http.request("GET /v1/account/twilio", options)

    def create_twilio_credential(
        self, **options: Unpack[RequestOptions]
    ) -> t.CreateTwilioCredentialReply:
        """Creates or replaces it."""
        return self._http.request("POST /v1/account/twilio", options)

    def delete_twilio_credential(
        self, **options: Unpack[RequestOptions]
    ) -> t.DeleteTwilioCredentialReply:
        return self._http.request("DELETE /v1/account/twilio", options)


class Events(_Resource):
    """The live stream of the account's events."""

    def stream(self, last_event_id: str | None = None) -> Iterator[dict[str, Any]]:
        """Events as they happen, until the loop ends.

        A lost connection is opened again, however often, and continues where it was. After that, an event with the
        eventType `resumed` follows: if its `isComplete` is false, load your data again. An event may come twice: drop
        duplicates by `id`. For events that you cannot miss, use a webhook.
        """
        attempt = 0
        while True:
            failure: LongcodeError | None = None
            try:
                for id, name, data in self._http.events(last_event_id):
                    attempt = 0
                    last_event_id = id or last_event_id
                    if name == "resumed":
                        yield {"eventType": "resumed", **data}
                    elif name != "heartbeat":
                        yield data
            except LongcodeError as error:
                failure = error
            delay = self._http.reconnect_delay(failure, attempt)
            if failure is not None and delay is None:
                raise failure
            self._http.wait(delay or 0)
            attempt += 1


class Tokens(_Resource):
    """Access tokens of the account."""

    def create(
        self, body: t.CreateTokenBody = {}, **options: Unpack[RequestOptions]
    ) -> t.CreateTokenReply:
        return self._http.request("POST /v1/token/create", options, body=body)

    def list(
        self, query: t.ListTokensQuery = {}, **options: Unpack[RequestOptions]
    ) -> List[t.Token]:
        route = "GET /v1/token/list"
        return List(self._http, route, query, options, "tokens", "id")

    def delete(
        self, id: str, query: t.DeleteTokenQuery = {}, **options: Unpack[RequestOptions]
    ) -> t.DeleteTokenReply:
        return self._http.request("DELETE /v1/token/{id}", options, path={"id": id}, query=query)


class SandboxClock(_Resource):
    """The clock of a service in sandbox mode."""

    def get(self, **options: Unpack[RequestOptions]) -> t.Clock:
        return self._http.request("GET /sandbox/clock", options)

    def advance(self, seconds: float, **options: Unpack[RequestOptions]) -> t.AdvanceClockReply:
        """Moves the clock forward. Whatever becomes due happens now."""
        body = {"seconds": seconds}
        return self._http.request("POST /sandbox/clock/advance", options, body=body)


class Sandbox(_Resource):
    """Simulated phones and callers. Only with LONGCODE_MODE=sandbox."""

    def __init__(self, http: Transport) -> None:
        super().__init__(http)
        self.clock = SandboxClock(http)

    def inbound(
        self, body: t.ReceiveInboundBody, **options: Unpack[RequestOptions]
    ) -> t.ReceiveInboundReply:
        """Texts one of your numbers from a simulated phone."""
        return self._http.request("POST /sandbox/inbound", options, body=body)

    def handset(self, number: str, **options: Unpack[RequestOptions]) -> t.GetHandsetReply:
        """What a simulated phone shows."""
        route = "GET /sandbox/handset/{number}"
        return self._http.request(
            route, options, path={"number": _digits(number)}
        )

    def handsets(self, **options: Unpack[RequestOptions]) -> t.ListHandsetsReply:
        return self._http.request("GET /sandbox/handset", options)

    def call(self, body: t.PlaceCallBody, **options: Unpack[RequestOptions]) -> t.PlaceCallReply:
        """Calls one of your numbers."""
        return self._http.request("POST /sandbox/call", options, body=body)


class Media(_Resource):
    """Files of an MMS."""

    def upload(
        self,
        file: bytes,
        content_type: str = "application/octet-stream",
        **options: Unpack[RequestOptions],
    ) -> t.UploadMediaReply:
        """Uploads a file of up to 10 MB. Put media.url of the reply in mediaUrls of a message."""
        return self._http.request("POST /v1/media", options, body=file, content_type=content_type)
