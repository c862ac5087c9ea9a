"""Airflow's side of Citewell: when to run, what to retry, what to link to. The stages are `search.ingest`'s.

Set AIRFLOW__CORE__PLUGINS_FOLDER to the folder above; docs/airflow.md has the rest.
"""
