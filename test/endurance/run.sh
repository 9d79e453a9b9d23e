#!/usr/bin/env bash
# Compiles the library and the long tests, and runs one: npm run test:endurance -- chaos kill --seconds 30
set -euo pipefail
cd "$(dirname "$0")/../.."

for script in "test/endurance/${1:-}.ts" "test/foreign/${1:-}.ts"; do
  [ ! -f "$script" ] || break
done
[ -f "$script" ] || { echo "test/endurance/README.md lists the tests" >&2; exit 2; }
npm run build --silent
node build.mjs bench/rolldown.config.ts
exec node --import ./examples/hide-runtime-warning.mjs "build/${script%.ts}.js" "${@:2}"
