"""Errors as HTTP answers: a status that means it, and the same body as the command line prints."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from search import errors as e
from search.models import Model

if TYPE_CHECKING:
    from fastapi import FastAPI, Request

#: The nearest class in an error's ancestry decides.
STATUS: dict[type[e.CitewellError], int] = {
    e.UsageError: 400,
    e.SettingsError: 500,  # the operator's, not the client's
    e.WorkNotFound: 404,
    e.MissingExtra: 501,
    e.IndexMissing: 503,
    e.EngineUnavailable: 503,
    e.EngineRefused: 502,
    e.WriterBusy: 503,
    e.TransportError: 502,
    e.LLMError: 502,
    e.CitewellError: 500,
}


class Told(Model):
    """What went wrong."""

    #: The error's class in `search.errors`, or the HTTP status in words.
    code: str
    message: str
    advice: str = ""


class Failure(Model):
    """Body of every answer that is not a success."""

    error: Told


def status_of(error: e.CitewellError) -> int:
    """Return the HTTP status for an error."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def answer(status: int, code: str, message: str, advice: str = "", **headers: str) -> JSONResponse:
    """Return an answer that says what went wrong."""
    body = Failure(error=Told(code=code, message=message, advice=advice))
    return JSONResponse(body.model_dump(), status, headers=headers or None)


def install(app: FastAPI) -> None:
    """Let the app answer with `Failure`, whatever goes wrong."""
    app.add_exception_handler(e.CitewellError, _known)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(Exception, _fault)


def _known(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, e.CitewellError)
    status = status_of(error)
    seconds = getattr(error, "retry_after", None)
    headers = {"Retry-After": str(math.ceil(seconds))} if seconds else {}
    return answer(status, error.code, error.message, error.advice, **headers)


def _refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return answer(error.status_code, "Refused", str(error.detail), **dict(error.headers or {}))


def _malformed(_: Request, error: Exception) -> JSONResponse:
    """Name the first field that is wrong; what was sent is not repeated."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body") or "body"
    return answer(422, "UsageError", f"{where}: {first['msg']}", "/openapi.json describes what is taken")


def _fault(_: Request, error: Exception) -> JSONResponse:
    """Tell a fault of the program without its insides; the log has the traceback."""
    return answer(500, "Fault", f"a fault of the server ({type(error).__name__})", "its log says more")
