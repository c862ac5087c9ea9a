"""The language-model route: one call through litellm, structured claims back. Nothing it says is trusted."""

from __future__ import annotations

import os
import re
import threading
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from search.answering import prompt
from search.answering.drafts import Draft
from search.errors import LLMError, MissingExtra
from search.index.documents import PassageDocument
from search.models import Cost
from search.settings import Settings

#: Enough for twelve claims with two quotes each.
REPLY_TOKENS = 4096

_importing = threading.Lock()


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model proposed and what it cost; `cost.usd` is None where the price is not known."""

    drafts: tuple[Draft, ...]
    cost: Cost


def ask(question: str, passages: Sequence[PassageDocument], *, model: str, settings: Settings) -> Reply:
    """Ask `model` once for claims with quotes out of `passages`.

    Raises:
        LLMError: no connection, a time-out, a refusal, a reply that is cut off or not in the agreed form.
        MissingExtra: litellm is not installed.
    """
    litellm = _litellm()
    response = _complete(litellm, prompt.messages(question, passages), model=model, settings=settings)
    choice = response.choices[0]
    if choice.finish_reason == "length":
        raise LLMError(f"{model} stopped in the middle of its reply", advice="ask a narrower question")
    drafts = prompt.parse(choice.message.content or "", model=model)
    return Reply(drafts, _cost(litellm, response, priced=settings.llm_api_base is None))


def _litellm() -> Any:
    """Import litellm, which takes three seconds, without letting it fetch its price list."""
    with _importing:
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                import litellm
        except ImportError:
            raise MissingExtra("litellm", "llm", why="answering with a language model") from None
        litellm.suppress_debug_info = True
    _hush()
    return litellm


#: What litellm and the models it defines warn of while a call runs, none of which a caller can mend.
_THIRD_PARTY_WARNINGS = (
    (r"Item '.*' on TypedDict class '.*' is using the `ReadOnly` qualifier", UserWarning),
    (r"Pydantic serializer warnings", UserWarning),
)


def _hush() -> None:
    """Ignore those warnings, by their text, for the whole process.

    `warnings.catch_warnings` swaps the filters of every thread, so that it cannot stand around a call
    that others make at the same time; adding a filter that is there already changes nothing.
    """
    for message, category in _THIRD_PARTY_WARNINGS:
        warnings.filterwarnings("ignore", message=message, category=category)


def _complete(litellm: Any, messages: list[dict[str, str]], *, model: str, settings: Settings) -> Any:
    key = settings.llm_api_key.get_secret_value() if settings.llm_api_key else None
    # a server of one's own often wants no key, and the client insists on one
    key = key or ("none" if settings.llm_api_base else None)
    try:
        return litellm.completion(
            model=model,
            messages=messages,
            api_base=settings.llm_api_base,
            api_key=key,
            timeout=settings.llm_timeout,
            temperature=0.0,
            max_tokens=REPLY_TOKENS,
            response_format=prompt.RESPONSE_FORMAT,
            max_retries=0,
            num_retries=0,
            drop_params=True,
        )
    except _provider_errors(litellm) as error:
        raise _told(error, litellm, model=model, settings=settings, key=key) from None


def _provider_errors(litellm: Any) -> tuple[type[Exception], ...]:
    """Return the roots of what litellm raises: its exceptions all derive from the OpenAI client's."""
    import openai

    return (openai.OpenAIError, litellm.exceptions.BudgetExceededError)


def _told(error: Exception, litellm: Any, *, model: str, settings: Settings, key: str | None) -> LLMError:
    """Say what happened in one line, with the next step and without the key."""
    kinds = litellm.exceptions
    where = f"{model} at {settings.llm_api_base}" if settings.llm_api_base else model
    table: tuple[tuple[type[Exception], str, str], ...] = (
        (kinds.Timeout, f"did not answer within {settings.llm_timeout:g} s", "raise CITEWELL_LLM_TIMEOUT"),
        (kinds.AuthenticationError, "refused the key", "set CITEWELL_LLM_API_KEY"),
        (kinds.PermissionDeniedError, "refused the key's rights", "use a key that may call this model"),
        (kinds.RateLimitError, "is over its rate limit or quota", "wait, then ask again"),
        (kinds.NotFoundError, "is not there", "check CITEWELL_LLM_MODEL and CITEWELL_LLM_API_BASE"),
        (kinds.ContextWindowExceededError, "cannot hold the evidence", "read fewer papers for the answer"),
        (kinds.APIConnectionError, "cannot be reached", "check CITEWELL_LLM_API_BASE and the network"),
        (kinds.ServiceUnavailableError, "is not available", "try again later"),
        (kinds.InternalServerError, "failed", "try again later"),
        (kinds.BadRequestError, "refused the request", "check that CITEWELL_LLM_MODEL names a chat model"),
    )
    if "Connection error" in str(error):  # litellm calls a refused connection an internal server error
        return LLMError(f"{where} cannot be reached", advice="check CITEWELL_LLM_API_BASE and the network")
    for kind, what, advice in table:
        if isinstance(error, kind):
            return LLMError(f"{where} {what}{_detail(error, key)}", advice=advice)
    return LLMError(f"{where}: {type(error).__name__}{_detail(error, key)}", advice="try again later")


def _detail(error: Exception, key: str | None) -> str:
    """Return the provider's own words, short, where they cannot hold the key."""
    if getattr(error, "status_code", None) in (401, 403):
        return ""
    text = " ".join(str(getattr(error, "message", error)).split())
    if key and len(key) > 4:
        text = text.replace(key, "…")
    text = re.sub(r"\b(?:sk|pk|key|Bearer)[-_ ][\w*-]{6,}", "…", text)
    return f" ({text[:160]})" if text else ""


def _cost(litellm: Any, response: Any, *, priced: bool) -> Cost:
    """Return tokens and price. What a server of one's own costs, nobody can look up."""
    usage = getattr(response, "usage", None)
    usd: float | None = None
    if priced:
        try:
            usd = float(litellm.completion_cost(completion_response=response))
        except Exception:  # noqa: BLE001 - litellm raises plain Exception for models without a price
            usd = None
    return Cost(
        prompt_tokens=getattr(usage, "prompt_tokens", 0) or 0,
        completion_tokens=getattr(usage, "completion_tokens", 0) or 0,
        usd=usd,
    )
