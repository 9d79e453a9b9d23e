#!/usr/bin/env bash
# Runs the tests of the adapters and of what uses a store on other servers than the installed redis-server, one after
# another: Valkey 8.0 and 8.1, and Redis 8.0. The first run downloads them from Debian (test/support/other-servers.sh).
# Arguments replace these tests and are passed to vitest: npm run test:servers -- test/flows/token
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$#" -gt 0 ] || set -- test/adapters test/store

for folder in $(bash test/support/other-servers.sh node_modules/.cache/servers); do
  printf '\n== %s\n' "$(basename "$folder")"
  PATH="$folder:$PATH" npx vitest run --config test/vitest.config.ts "$@"
done
