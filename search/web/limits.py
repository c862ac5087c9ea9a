"""How large a request may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import HTTPException

from search.web.failures import answer

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Bytes of a body: 4,000 characters of text and thousands of ids to filter by take less.
LARGEST_BODY = 1 << 20
_TOO_LARGE = f"the body is larger than {LARGEST_BODY:,} bytes"


class LargestBody:
    """ASGI middleware that refuses a large body by its announced length, else as it comes."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one request, or whatever else a server sends (its start and end)."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if not announced.isdigit() or int(announced) > LARGEST_BODY:
            await answer(413, "Refused", _TOO_LARGE)(scope, receive, send)
            return
        received = 0

        async def receiving() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > LARGEST_BODY:
                raise HTTPException(413, _TOO_LARGE)
            return message

        await self._app(scope, receiving, send)
