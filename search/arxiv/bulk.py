"""PDFs by the thousand: a copy of arXiv's public bucket, wherever fsspec reaches.

Source: https://www.kaggle.com/datasets/Cornell-University/arxiv, "Bulk access": new identifiers lie under
`arxiv/pdf/<yymm>/<id>v<version>.pdf`, old ones under `<archive>/pdf/<yymm>/<number>v<version>.pdf`.
The bucket is weeks behind and lacks withdrawn versions: what it has not got is asked of arXiv.
"""

from __future__ import annotations

import hashlib
from typing import Any

import fsspec

from search.arxiv.pdf import LARGEST_PDF, PDFDownload, check_whole, too_large
from search.errors import MissingExtra, NetworkUnreachable, PDFNotFound, SettingsError


def bulk_path(work_id: str, version: int) -> str:
    """Return where a version lies below the bucket's root.

    >>> bulk_path("2101.00001", 2), bulk_path("hep-th/9901001", 1)
    ('arxiv/pdf/2101/2101.00001v2.pdf', 'hep-th/pdf/9901/9901001v1.pdf')
    """
    archive, _, number = work_id.rpartition("/")
    return f"{archive or 'arxiv'}/pdf/{number[:4]}/{number}v{version}.pdf"


class BulkPDFs:
    """The PDFs below one URL.

    Args:
        url: any fsspec URL or a folder, such as `gs://arxiv-dataset/arxiv`.

    Raises:
        MissingExtra: the package that reads such URLs is not installed.
        SettingsError: no file system is known for it.
    """

    def __init__(self, url: str) -> None:
        # Public buckets answer without credentials, and a machine that has some must not send them.
        options: dict[str, Any] = {"token": "anon"} if url.startswith(("gs://", "gcs://")) else {}
        options |= {"anon": True} if url.startswith("s3://") else {}
        try:
            self._fs, root = fsspec.core.url_to_fs(url, **options)
        except ImportError as error:
            package = {"gs": "gcsfs", "gcs": "gcsfs", "s3": "s3fs"}.get(
                url.partition(":")[0], "another package"
            )
            raise MissingExtra(package, "bulk", why=f"CITEWELL_PDF_BULK_URL ({url})") from error
        except ValueError as error:
            raise SettingsError(
                f"CITEWELL_PDF_BULK_URL: {error}", advice="docs/settings.md lists what it may be"
            ) from error
        self._root = root.rstrip("/")
        self.url = url.rstrip("/")

    def download(self, work_id: str, version: int, *, largest: int = LARGEST_PDF) -> PDFDownload:
        """Return the PDF of a work's version, under the same checks as one from arXiv.

        Raises:
            PDFNotFound: it is not there.
            NotAPDF: the file is something else, or too large.
            TruncatedPDF: fewer bytes than the file system states, or no end-of-file mark.
            NetworkUnreachable: the file system cannot be read.
        """
        name = bulk_path(work_id, version)
        path, shown = f"{self._root}/{name}", f"{self.url}/{name}"
        try:
            size = int(self._fs.size(path))
            if size > largest:
                raise too_large(shown, largest)
            content: bytes = self._fs.cat_file(path)
        except FileNotFoundError:
            raise PDFNotFound(f"{shown} is not there", advice="it may be too new for the bucket") from None
        except OSError as error:
            raise NetworkUnreachable(
                f"{shown} cannot be read: {error}", url=shown, advice="try again later"
            ) from error
        check_whole(content, shown, announced=size)
        return PDFDownload(content, hashlib.sha256(content).hexdigest(), shown)
