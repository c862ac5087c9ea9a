#!/usr/bin/env bash
# Give Kibana and Citewell their passwords, Citewell a role for its own indices, and backups a place.
# Runs once after Elasticsearch is up; running it again sets the same again.
set -euo pipefail
: "${ELASTIC_PASSWORD:?}" "${KIBANA_PASSWORD:?}" "${INDEX_PASSWORD:?}"
url=${ELASTICSEARCH_URL:-http://elasticsearch:9200}
prefix=${CITEWELL_INDEX_PREFIX:-citewell}
snapshots=${SNAPSHOTS:-/usr/share/elasticsearch/snapshots}

for name in ELASTIC_PASSWORD KIBANA_PASSWORD INDEX_PASSWORD; do
  # They stand in URLs and in JSON.
  [[ ${!name} =~ ^[A-Za-z0-9_-]{12,}$ ]] ||
    { echo "$name: at least 12 letters, digits, - and _ only" >&2; exit 2; }
done

# ask METHOD PATH BODY; the password goes to curl by a pipe, not by its arguments.
ask() {
  local answer
  answer=$(curl --silent --show-error --fail-with-body --max-time 60 --retry 3 \
    --config <(printf 'user = "elastic:%s"\n' "$ELASTIC_PASSWORD") \
    --request "$1" --header 'Content-Type: application/json' --data-binary @- "$url/$2" <<<"$3") ||
    { echo "$1 $2: $answer" >&2; return 1; }
  echo "$1 $2"
}

ask POST _security/user/kibana_system/_password "{\"password\": \"$KIBANA_PASSWORD\"}"
ask PUT _security/role/citewell "{
  \"cluster\": [\"monitor\", \"monitor_snapshot\"],
  \"indices\": [{\"names\": [\"$prefix-*\"], \"privileges\": [\"all\"]}]
}"
ask PUT _security/user/citewell "{\"password\": \"$INDEX_PASSWORD\", \"roles\": [\"citewell\"]}"
ask PUT _snapshot/citewell "{\"type\": \"fs\", \"settings\": {\"location\": \"$snapshots\"}}"
