#!/usr/bin/env bash
# Import the data views and the dashboard; running it again brings them back to what they were.
set -euo pipefail
: "${ELASTIC_PASSWORD:?}"
url=${KIBANA_URL:-http://kibana:5601}
objects=${1:-/objects.ndjson}

answer=$(curl --silent --show-error --fail-with-body --max-time 120 --retry 3 \
  --config <(printf 'user = "elastic:%s"\n' "$ELASTIC_PASSWORD") \
  --header 'kbn-xsrf: citewell' --form "file=@$objects;filename=objects.ndjson" \
  "$url/api/saved_objects/_import?overwrite=true") || { echo "$answer" >&2; exit 1; }
# Kibana answers 200 also where it took nothing.
[[ $answer == *'"success":true'* ]] || { echo "$answer" >&2; exit 1; }
echo "imported $objects"
