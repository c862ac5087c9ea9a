"""Who may call."""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import SecretStr

#: By these names a server without a token may be called: a page in a browser that makes its own name
#: point at this machine (DNS rebinding) comes with another.
LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})

_bearer = HTTPBearer(auto_error=False, description="CITEWELL_API_TOKEN, where the server has one set")


class Guard:
    """Lets in who sends the token; where none is set, who calls this machine by a name of its own."""

    def __init__(self, token: SecretStr | None) -> None:
        self._token = token.get_secret_value().encode() if token else None

    def check(
        self, request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
    ) -> None:
        """Refuse with 401 or 403, or return."""
        if self._token is None:
            _must_be_local(request.headers.get("host", ""))
        elif given is None or not secrets.compare_digest(
            given.credentials.encode("latin-1"),
            self._token,  # headers are decoded so, whatever was sent
        ):
            raise HTTPException(
                401, "a bearer token is needed, the one of CITEWELL_API_TOKEN", {"WWW-Authenticate": "Bearer"}
            )


def _must_be_local(host: str) -> None:
    name, _, port = host.rpartition(":")
    name = name if port.isdigit() else host
    if name.lower() not in LOCAL_NAMES:
        raise HTTPException(403, f"called as {name[:100]!r}: without CITEWELL_API_TOKEN this server is local")
