# Two images from one file: `api` answers over HTTP, `airflow` follows arXiv.
#   docker build --target api -t citewell-api .
#   docker build --target airflow -t citewell-airflow .
FROM python:3.12.11-slim-bookworm AS base
ENV PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PATH=/opt/venv/bin:$PATH \
    CITEWELL_HOME=/var/lib/citewell
# A volume that is first mounted here takes over this owner.
RUN groupadd --gid 10001 citewell \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/citewell citewell \
 && install --directory --owner citewell --group citewell /var/lib/citewell

FROM base AS source
RUN python -m venv /opt/venv
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE CHANGELOG.md ./
COPY mappings ./mappings
COPY search ./search

# The API reads no PDFs: the pdf extra (AGPL, docs/decisions/0003-agpl.md) stays out of what serves a network.
FROM source AS api-packages
RUN pip install --constraint constraints.txt ".[elastic,llm,web,offline]"

FROM source AS airflow-packages
RUN pip install --constraint constraints.txt ".[pdf,elastic,airflow,offline]" apache-airflow-providers-postgres

FROM base AS api
COPY --from=api-packages /opt/venv /opt/venv
USER citewell
VOLUME /var/lib/citewell
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=8)"]
ENTRYPOINT ["citewell"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]

FROM base AS airflow
ENV AIRFLOW_HOME=/opt/airflow \
    AIRFLOW__CORE__DAGS_FOLDER=/opt/citewell/dags \
    AIRFLOW__CORE__PLUGINS_FOLDER=/opt/citewell/plugins \
    AIRFLOW__CORE__LOAD_EXAMPLES=False
RUN install --directory --owner citewell --group citewell /opt/airflow /opt/airflow/logs /opt/airflow/users
COPY --from=airflow-packages /opt/venv /opt/venv
COPY dags /opt/citewell/dags
COPY plugins /opt/citewell/plugins
COPY deploy/airflow.sh /opt/citewell/airflow.sh
USER citewell
VOLUME ["/var/lib/citewell", "/opt/airflow/logs", "/opt/airflow/users"]
EXPOSE 8080
ENTRYPOINT ["airflow"]
CMD ["standalone"]
