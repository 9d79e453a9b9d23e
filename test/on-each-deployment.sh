#!/usr/bin/env bash
# Runs the files whose first line says "Also runs on: Redis" on the deployments that test:all leaves out, one after
# another: Redis with ioredis 6, Redis Cluster and Sentinel with ioredis 5 and 6, PostgreSQL and SQLite.
# TEST_STORES replaces this list with other deployments, separated by spaces. Arguments are passed to vitest, for
# example: npm run test:deployments -- test/flows/token
set -euo pipefail
cd "$(dirname "$0")/.."

for deployment in ${TEST_STORES:-redis-6 cluster cluster-6 sentinel sentinel-6 postgres sqlite}; do
  printf '\n== %s\n' "$deployment"
  TEST_STORES="$deployment" npx vitest run --config test/vitest.config.ts --project=redis "$@"
done
