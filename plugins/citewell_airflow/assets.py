"""What the DAGs tell each other."""

from __future__ import annotations

from airflow.sdk import Asset

#: The live index holds what has come: searches that are saved may be run.
INDEX = Asset(name="citewell_index", uri="citewell://index", group="citewell")
