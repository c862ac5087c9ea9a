"""Downloading a known model's files from the hub: pinned revision, checksum, whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
import threading
from typing import TYPE_CHECKING

from search.errors import DiskFull, ModelDamaged, ModelUnavailable

if TYPE_CHECKING:
    from pathlib import Path

    import httpx

    from search.embedding.known import KnownModel

#: Seconds in which the hub must have answered for the first time. A machine without a network has no
#: answer to wait for, and name resolution has no time-out of its own.
FIRST_ANSWER = 4.0
#: Seconds to connect, and to wait for the next bytes of a file that is on its way.
CONNECT, READ = 2.0, 30.0


def hub_url() -> str:
    """Return the hub's base URL: `HF_ENDPOINT`, the variable that names a mirror everywhere, or the hub."""
    return os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")


def download(model: KnownModel, folder: Path, *, base_url: str | None = None) -> None:
    """Bring the model's files into `folder`: `model.onnx` and `tokenizer.json`, each renamed when whole.

    Raises:
        ModelUnavailable: the hub cannot be reached, or does not have the file.
        ModelDamaged: what arrived does not have the pinned checksum.
        DiskFull: no space is left; nothing half-written was kept.
    """
    import httpx

    base = f"{base_url or hub_url()}/{model.repository}/resolve/{model.revision}"
    files = [("tokenizer.json", "tokenizer.json", model.tokenizer_sha256)]
    files.append(("onnx/model.onnx", "model.onnx", model.onnx_sha256))
    timeout = httpx.Timeout(READ, connect=CONNECT)
    wait_for_first_answer(f"{base}/tokenizer.json")
    with httpx.Client(timeout=timeout, follow_redirects=True) as client:
        for remote, local, checksum in files:
            if not (folder / local).is_file():
                _fetch(client, f"{base}/{remote}", folder / local, checksum)


def wait_for_first_answer(url: str) -> None:
    """Ask the hub for anything, and raise `ModelUnavailable` where nothing came after `FIRST_ANSWER` s."""
    import httpx

    failures: list[httpx.HTTPError] = []

    def ask() -> None:
        try:
            httpx.head(url, timeout=httpx.Timeout(FIRST_ANSWER, connect=CONNECT))
        except httpx.HTTPError as error:
            failures.append(error)

    # A daemon: name resolution that hangs must not keep the process from ending.
    thread = threading.Thread(target=ask, daemon=True, name="citewell-hub")
    thread.start()
    thread.join(FIRST_ANSWER)
    if thread.is_alive():
        raise ModelUnavailable(f"the model hub gave no answer within {FIRST_ANSWER:g} s ({url})")
    if failures:
        raise ModelUnavailable(f"the model hub cannot be reached ({url}: {failures[0]})") from failures[0]


def _fetch(client: httpx.Client, url: str, target: Path, checksum: str) -> None:
    import httpx

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        part = target.parent / temporary
        try:
            with os.fdopen(descriptor, "wb") as file, client.stream("GET", url) as response:
                response.raise_for_status()
                digest = hashlib.sha256()
                for chunk in response.iter_bytes():
                    digest.update(chunk)
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            _compare(url, digest.hexdigest(), checksum)
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except httpx.HTTPStatusError as error:
        raise ModelUnavailable(f"the model hub answered {error.response.status_code} for {url}") from error
    except httpx.HTTPError as error:
        raise ModelUnavailable(f"the download of {url} broke off ({error})") from error
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise DiskFull(f"no space left for {target}", advice="free some space and try again") from error
        raise ModelUnavailable(f"{target} cannot be written ({error})") from error


def _compare(url: str, found: str, pinned: str) -> None:
    if found != pinned:
        raise ModelDamaged(
            f"{url} arrived with SHA-256 {found}, not {pinned}",
            advice="try again; if it stays so, a mirror or a proxy changes files",
        )
