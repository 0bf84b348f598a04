"""The inbox: conversations and what a team does with them, contacts, and saved replies."""

# Replies are JSON, whose types the service promises.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import Unpack

from . import types as t
from .list import List
from .resources import _digits, _Resource
from .transport import RequestOptions

_CONVERSATION = "/v1/campaign/{id}/conversations/{number}"


class Conversations(_Resource):
    """The last message with each recipient, and the inbox of a team."""

    def list(
        self, query: t.ListConversationsQuery = {}, **options: Unpack[RequestOptions]
    ) -> List[t.Conversation]:
        route = "GET /v1/conversation/list"
        return List(self._http, route, query, options, "conversations", "lastMessage")

    def inbox(
        self, query: t.ListInboxQuery = {}, **options: Unpack[RequestOptions]
    ) -> List[t.InboxConversation]:
        """Those in which someone replied, latest reply first."""
        route = "GET /v1/inbox/list"
        return List(self._http, route, query, options, "conversations", "recipient")

    def counts(
        self, query: t.CountInboxQuery = {}, **options: Unpack[RequestOptions]
    ) -> t.CountInboxReply:
        """How many there are in each view of the inbox."""
        return self._http.request("GET /v1/inbox/counts", options, query=query)

    def get(
        self, campaign: str, recipient: str, **options: Unpack[RequestOptions]
    ) -> t.GetConversationReply:
        path = {"id": campaign, "number": _digits(recipient)}
        return self._http.request(f"GET {_CONVERSATION}", options, path=path)

    def update(
        self,
        campaign: str,
        recipient: str,
        body: t.ChangeConversationBody,
        **options: Unpack[RequestOptions],
    ) -> t.ChangeConversationReply:
        """Assigns, closes, or marks it."""
        path = {"id": campaign, "number": _digits(recipient)}
        return self._http.request(f"PATCH {_CONVERSATION}", options, path=path, body=body)

    def notes(
        self,
        campaign: str,
        recipient: str,
        query: t.ListConversationNotesQuery = {},
        **options: Unpack[RequestOptions],
    ) -> List[t.ConversationNote]:
        """Internal notes, newest first."""
        route = f"GET {_CONVERSATION}/notes"
        path = {"id": campaign, "number": _digits(recipient)}
        return List(self._http, route, query, options, "notes", "id", path)

    def add_note(
        self,
        campaign: str,
        recipient: str,
        body: t.AddConversationNoteBody,
        **options: Unpack[RequestOptions],
    ) -> t.AddConversationNoteReply:
        """The recipient never sees it."""
        path = {"id": campaign, "number": _digits(recipient)}
        return self._http.request(f"POST {_CONVERSATION}/notes", options, path=path, body=body)

    def delete_note(
        self, campaign: str, recipient: str, note_id: str, **options: Unpack[RequestOptions]
    ) -> t.DeleteConversationNoteReply:
        path = {"id": campaign, "number": _digits(recipient), "noteId": note_id}
        return self._http.request(f"DELETE {_CONVERSATION}/notes/{{noteId}}", options, path=path)


class Contacts(_Resource):
    """Names of recipients, and fields for saved replies."""

    def list(
        self, query: t.ListContactsQuery = {}, **options: Unpack[RequestOptions]
    ) -> List[t.Contact]:
        """By number, or with `name` or `numbers` those that match."""
        route = "GET /v1/contact/list"
        return List(self._http, route, query, options, "contacts", "phoneNumber")

    def get(self, number: str, **options: Unpack[RequestOptions]) -> t.GetContactReply:
        path = {"number": _digits(number)}
        return self._http.request("GET /v1/contact/{number}", options, path=path)

    def put(
        self, number: str, body: t.PutContactBody, **options: Unpack[RequestOptions]
    ) -> t.PutContactReply:
        """Creates or replaces it."""
        path = {"number": _digits(number)}
        return self._http.request("PUT /v1/contact/{number}", options, path=path, body=body)

    def delete(self, number: str, **options: Unpack[RequestOptions]) -> t.DeleteContactReply:
        path = {"number": _digits(number)}
        return self._http.request("DELETE /v1/contact/{number}", options, path=path)


class SavedReplies(_Resource):
    """Texts with fields such as {{name}}."""

    def list(self, **options: Unpack[RequestOptions]) -> t.ListSavedRepliesReply:
        """All of them, by name."""
        return self._http.request("GET /v1/saved-reply/list", options)

    def create(
        self, body: t.CreateSavedReplyBody, **options: Unpack[RequestOptions]
    ) -> t.CreateSavedReplyReply:
        return self._http.request("POST /v1/saved-reply/create", options, body=body)

    def update(
        self, id: str, body: t.ChangeSavedReplyBody, **options: Unpack[RequestOptions]
    ) -> t.ChangeSavedReplyReply:
        return self._http.request("PATCH /v1/saved-reply/{id}", options, path={"id": id}, body=body)

    def delete(self, id: str, **options: Unpack[RequestOptions]) -> t.DeleteSavedReplyReply:
        return self._http.request("DELETE /v1/saved-reply/{id}", options, path={"id": id})
