"""What Airflow finds in this folder: the plugin that registers the parts of `citewell_airflow`."""

from __future__ import annotations

from typing import ClassVar

from airflow.plugins_manager import AirflowPlugin

from citewell_airflow import pools
from citewell_airflow.timetable import ArxivAnnouncements


class CitewellPlugin(AirflowPlugin):
    """The announcement timetable, and the check of the pools when the scheduler starts."""

    name = "citewell"
    timetables: ClassVar = [ArxivAnnouncements]
    listeners: ClassVar = [pools]
