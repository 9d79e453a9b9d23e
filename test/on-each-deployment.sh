#!/usr/bin/env bash
# Runs the tests that use a store on each deployment in turn: cluster, Sentinel, ioredis 5 and 6.
# TEST_STORES names other deployments; arguments go to vitest, for example: npm run test:deployments -- test/flows/token
set -euo pipefail
cd "$(dirname "$0")/.."

for deployment in ${TEST_STORES:-redis-6 cluster cluster-6 sentinel sentinel-6}; do
  printf '\n== %s\n' "$deployment"
  TEST_STORES="$deployment" npx vitest run --config test/vitest.config.ts --project=stores --project=own "$@"
done
