#!/usr/bin/env bash
# Make or migrate Airflow's database, write who may log in, and make the pools that are missing.
set -euo pipefail
: "${AIRFLOW_ADMIN_PASSWORD:?}"
users=${AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE:?}

airflow db migrate
umask 077
python -c 'import json, os; print(json.dumps({"admin": os.environ["AIRFLOW_ADMIN_PASSWORD"]}))' >"$users.new"
mv "$users.new" "$users"

# Slots that somebody has changed stay as they are.
export PYTHONPATH=${AIRFLOW__CORE__PLUGINS_FOLDER:?}
python -c 'from citewell_airflow.pools import commands, missing_pools; print(*commands(missing_pools()), sep="\n")' |
  while read -r command; do eval "$command"; done
