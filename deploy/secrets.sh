#!/usr/bin/env bash
# Print .env.example with every empty secret filled: bash deploy/secrets.sh > .env
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
while IFS= read -r line; do
  [[ $line =~ ^[A-Z_]+_(PASSWORD|SECRET|TOKEN|ENCRYPTION_KEY)=$ ]] && line+=$(openssl rand -hex 24)
  printf '%s\n' "$line"
done <.env.example
