/**
 * `npm run build`: the package in `dist`, and the example programs in `build`.
 *
 * All entries of the package are one build, and share chunks. So a host that imports several entries has every function and
 * class once: `createConsole` finds the gatehouse that `createGatehouse` registered, and `instanceof GatehouseError` is true
 * for the errors of every entry.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { defineConfig, type Plugin, type RolldownOptions } from 'rolldown'

/** An entry of the package. Paths are relative to this folder. */
export interface Entry {
  /** What hosts import: `koa-gatehouse/gateway`. */
  readonly name: string
  /** As `src/gateway.ts`. */
  readonly source: string
  /** As `dist/gateway.js`. */
  readonly output: string
}

type Exports = Readonly<Record<string, string | { readonly types: string; readonly default: string }>>

/** The entries, as `exports` of `package.json` has them. */
export const ENTRIES: readonly Entry[] = readEntries()

function readEntries(): Entry[] {
  const manifest = readFileSync(path.join(import.meta.dirname, 'package.json'), 'utf8')
  const { name, exports } = JSON.parse(manifest) as { readonly name: string; readonly exports: Exports }
  return Object.entries(exports).flatMap(([key, target]) => {
    if (typeof target === 'string') return []
    const source = target.types.replace('./dist/types/', '').replace('.d.ts', '.ts')
    return { name: key.replace('.', name), source, output: target.default.replace('./', '') }
  })
}

/** Replaces `readAsset(new URL('./page.css', import.meta.url))` by the text of the file. */
const assetsAsText: Plugin = {
  name: 'assets-as-text',
  transform: {
    filter: { code: 'import.meta.url' },
    handler(code, id) {
      const read = /readAsset\(\s*new URL\('([^']+)', import\.meta\.url\),?\s*\)/g
      const textOf = (_: string, file: string) =>
        JSON.stringify(readFileSync(path.join(path.dirname(id), file), 'utf8'))
      return { code: code.replace(read, textOf), map: null }
    },
  },
}

/** What all builds share. A warning ends the build. */
export const OPTIONS = {
  cwd: import.meta.dirname,
  platform: 'node',
  // All packages, because hosts install them, except the helpers of the bundler itself.
  external: /^(\w[\w.-]|@(?!oxc-project\/))/,
  transform: { target: 'node20.19' },
  plugins: [assetsAsText],
  onLog: (level, log, print) => print(level === 'warn' ? 'error' : level, log),
} satisfies RolldownOptions

/** The example programs. */
export const EXAMPLES = {
  ...OPTIONS,
  input: ['server', 'existing-app', 'minimal', 'command-line', 'key-pair', 'mcp-server'].map(
    (name) => `examples/${name}.ts`,
  ),
  output: { dir: 'build', cleanDir: true, entryFileNames: 'examples/[name].js' },
} satisfies RolldownOptions

export default defineConfig([
  {
    ...OPTIONS,
    input: Object.fromEntries(
      ENTRIES.map(({ source, output }) => [output.replace(/^dist\/|\.js$/g, ''), source]),
    ),
    output: {
      dir: 'dist',
      cleanDir: true,
      chunkFileNames: 'chunks/[name]-[hash].js',
      // The maps contain the sources with their comments, so the package needs no second copy of them.
      sourcemap: true,
      comments: { annotation: true, jsdoc: false, legal: true },
      // V8 keeps two bytes for each character of a file that has one beyond Latin-1. Texts in `html` templates stay as they are.
      charset: 'ascii',
    },
  },
  EXAMPLES,
])
