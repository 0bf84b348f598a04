"""Alerts about problems that the service noticed, and exports of messages as CSV files."""

# Replies are JSON, whose types the service promises.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import Unpack

from . import types as t
from .list import List
from .resources import _Resource
from .transport import RequestOptions


class Alerts(_Resource):
    """Open and past alerts, newest first."""

    def list(
        self, query: t.ListAlertsQuery = {}, **options: Unpack[RequestOptions]
    ) -> List[t.ListedAlert]:
        route = "GET /v1/alert/list"
        return List(self._http, route, query, options, "alerts", "id")

    def settings(self, **options: Unpack[RequestOptions]) -> t.GetAlertSettingsReply:
        return self._http.request("GET /v1/alert/settings", options)

    def update_settings(
        self, body: t.ChangeAlertSettingsBody, **options: Unpack[RequestOptions]
    ) -> t.ChangeAlertSettingsReply:
        """Mutes kinds, and sets how many days the balance should last."""
        return self._http.request("PUT /v1/alert/settings", options, body=body)


class Exports(_Resource):
    """Messages as CSV files, written in the background."""

    def create(
        self, body: t.CreateExportBody = {}, **options: Unpack[RequestOptions]
    ) -> t.CreateExportReply:
        """Starts one."""
        return self._http.request("POST /v1/export/create", options, body=body)

    def list(self, **options: Unpack[RequestOptions]) -> t.ListExportsReply:
        """All of them, newest first."""
        return self._http.request("GET /v1/export/list", options)

    def get(self, id: str, **options: Unpack[RequestOptions]) -> t.GetExportReply:
        return self._http.request("GET /v1/export/{id}", options, path={"id": id})

    def download(self, id: str, **options: Unpack[RequestOptions]) -> str:
        """The whole CSV file. A large one takes longer than the usual timeout."""
        query = {"format": "csv"}
        return self._http.request("GET /v1/export/{id}", options, path={"id": id}, query=query)

    def delete(self, id: str, **options: Unpack[RequestOptions]) -> t.DeleteExportReply:
        """Cancels it if it is running."""
        return self._http.request("DELETE /v1/export/{id}", options, path={"id": id})
