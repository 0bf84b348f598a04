"""A list of the API: iterate over all of its records, or read one page."""

from __future__ import annotations

from typing import Any, Generic, Iterator, Mapping, TypeVar

from .transport import RequestOptions, Transport

Item = TypeVar("Item")
_PAGE_SIZE = 100


class List(Generic[Item]):
    def __init__(
        self,
        http: Transport,
        route: str,
        query: Mapping[str, Any] | None,
        options: RequestOptions,
        items: str,
        cursor: str,
        path: Mapping[str, str] | None = None,
    ) -> None:
        self._http = http
        self._route = route
        self._query = query
        self._options = options
        self._items = items
        self._cursor = cursor
        self._path = path

    def page(self) -> dict[str, Any]:
        """One page, as the API returns it."""
        return self._fetch(self._query)

    def __iter__(self) -> Iterator[Item]:
        """Reads page after page. `limit` is the size of a page (default 100)."""
        # A list without a query has one page.
        query = {} if self._query is None else {"limit": _PAGE_SIZE, **self._query}
        while True:
            reply = self._fetch(query)
            items = reply[self._items]
            yield from items
            # A page of a search may be empty although more follow. Then `next` has the position.
            after = reply.get("next") or (self._position(items[-1]) if items else None)
            if not reply.get("hasMore") or after is None:
                return
            query = {**query, "after": after}
            query.pop("skip", None)

    def _position(self, item: Any) -> str:
        value = item[self._cursor]
        return str(value["id"] if isinstance(value, dict) else value)

    def _fetch(self, query: Mapping[str, Any] | None) -> dict[str, Any]:
        reply: dict[str, Any] = self._http.request(
            self._route, self._options, path=self._path, query=query
        )
        return reply
