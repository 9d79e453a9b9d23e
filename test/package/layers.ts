import path from 'node:path'

/** Folders or files of one layer, and what they are for. */
interface Layer {
  readonly folders: readonly string[]
  readonly about: string
}

/**
 * The layers of the source tree, from the top down. A file may import only files of its own folder and of lower layers.
 * This rule includes type-only imports. If several folders contain a file, the file belongs to the folder with the longest
 * path.
 */
const LAYERS: readonly Layer[] = [
  {
    // prettier-ignore
    folders: ['src/index.ts', 'src/console.ts', 'src/management.ts', 'src/backup.ts', 'src/leak-reports.ts', 'src/usage.ts', 'src/limits.ts', 'src/openapi.ts', 'src/mcp.ts', 'src/testing'],
    about: 'entries: what hosts import',
  },
  {
    folders: ['src/parts/console', 'src/parts/management', 'src/parts/backup', 'src/parts/leak-reports'],
    about: 'optional parts: only their entries load them',
  },
  {
    folders: ['src/parts/usage', 'src/parts/limits', 'src/parts/openapi', 'src/parts/mcp'],
    about: 'optional parts: who calls what · how often · the document of the API · MCP servers',
  },
  { folders: ['src/parts/front-door'], about: 'the checks that console and management API share' },
  {
    folders: ['src/gatehouse', 'src/gateway.ts'],
    about: 'compose everything below: createGatehouse, createGateway',
  },
  { folders: ['src/options'], about: 'checks and freezes options; each default is beside what it limits' },
  { folders: ['src/authorization-server/routing'], about: 'what is below {auth_url}' },
  { folders: ['src/authorization-server/provider'], about: 'the only importer of oidc-provider' },
  { folders: ['src/authorization-server/interaction'], about: 'sign-in and consent pages' },
  { folders: ['src/access'], about: 'what hosts call to revoke: tokens, accounts; erasing people' },
  { folders: ['src/gateway'], about: 'an API call: bearer token → verified → revoked? → operation → scope' },
  { folders: ['src/grants'], about: 'what people have authorized; refresh tokens' },
  { folders: ['src/health', 'src/clients'], about: 'checks · API keys, applications, secrets' },
  { folders: ['src/catalog'], about: 'products, operations, scopes; how processes synchronize them' },
  { folders: ['src/keys'], about: 'signing keys' },
  { folders: ['src/commit'], about: 'one change: its record, its audit entry, its revocation' },
  { folders: ['src/revocation'], about: 'revoked tokens' },
  { folders: ['adapters'], about: 'memory, SQLite, PostgreSQL, Redis: they know the Store port alone' },
  { folders: ['src/audit'], about: 'what was done, by whom, from where' },
  { folders: ['src/store'], about: 'the Store port, and what makes any store resilient' },
  { folders: ['src/http'], about: 'HTML template, forms, CSRF, security headers' },
  { folders: ['src/host'], about: "the host's accounts, subjects, logger, events" },
  {
    folders: ['src/validation', 'src/async'],
    about: 'checks of input · timeouts, coalescing, periodic work',
  },
  { folders: ['src/errors.ts'], about: 'the one error class, its codes and their statuses' },
]

/** The layers as text, one line a layer. CONTRIBUTING.md contains it. */
export function drawing(): string {
  return LAYERS.map(({ folders, about }) => {
    const names = folders.map((folder) =>
      (folder.endsWith('.ts') ? folder : `${folder}/`).replace('src/', ''),
    )
    const text = names.join('  ')
    // Long names get a line of their own.
    return text.length < 36 ? `${text.padEnd(38)}${about}` : `${text}\n${' '.repeat(38)}${about}`
  }).join('\n')
}

/**
 * The packages that a folder may import at run time. Every folder may also import Node's own modules, and the
 * types of Koa and jose.
 */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'src/testing': ['jose'],
  'src/gatehouse': ['keygrip', 'koa-compose'],
  'src/parts/front-door': ['@koa/router'],
  'src/parts/management': ['@koa/bodyparser'],
  'src/authorization-server/routing': ['koa-compose'],
  'src/authorization-server/provider': ['oidc-provider', 'koa', 'koa-compose', 'keygrip'],
  'src/gateway': ['jose'],
  'src/keys': ['jose'],
}

/** Folders that only the listed folders may import. The host chooses an adapter, so the library imports no adapter. */
const CLOSED: Readonly<Record<string, readonly string[]>> = { adapters: ['src/testing'] }

const IMPORT = /^\s*(?:import|export)\s+(type\s+)?(?:[\w$*{},\s]+?\sfrom\s+)?['"]([^'"]+)['"]/gm
const DYNAMIC_IMPORT = /\b(?:import|require)\(\s*()['"]([^'"]+)['"]/g

/** An import in a file: its specifier, and the imported file if it belongs to this repository. */
export interface Import {
  readonly specifier: string
  readonly isTypeOnly: boolean
  readonly file: string | undefined
}

/**
 * Returns all imports of a file.
 *
 * @param file the path of the file from the root of the repository
 * @param source the text of the file
 */
export function importsOf(file: string, source: string): Import[] {
  return [...source.matchAll(IMPORT), ...source.matchAll(DYNAMIC_IMPORT)].map(
    ([, typeOnly, specifier = '']) => ({
      specifier,
      isTypeOnly: Boolean(typeOnly),
      file: specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file), specifier) : undefined,
    }),
  )
}

/** Returns the folder of a file in the table, or undefined if the table does not have the file. */
export function folderOf(file: string): string | undefined {
  const folders = LAYERS.flatMap(({ folders }) => folders).filter(
    (folder) => file === folder || file === `${folder}.ts` || file.startsWith(`${folder}/`),
  )
  return folders.toSorted((one, other) => other.length - one.length)[0]
}

/** Returns the index of a folder's layer. The lowest layer has the highest index. */
function layerOf(folder: string): number {
  return LAYERS.findIndex(({ folders }) => folders.includes(folder))
}

/** Describes each forbidden import of a file in a sentence. */
export function forbiddenImports(file: string, source: string): string[] {
  const folder = file.startsWith('adapters/') ? 'adapters' : folderOf(file)
  if (folder === undefined) return [`${file} is in no layer of the source tree`]
  return importsOf(file, source).flatMap(({ specifier, isTypeOnly, file: target }) => {
    if (specifier.startsWith('node:')) return []
    const sentence = [`${file} imports ${isTypeOnly ? 'types of ' : ''}${specifier}`]
    if (target === undefined) return mayImportPackage(folder, specifier, isTypeOnly) ? [] : sentence
    const other = target.startsWith('adapters/') ? 'adapters' : folderOf(target)
    if (other === folder) return []
    if (other === undefined || layerOf(other) <= layerOf(folder)) return sentence
    return CLOSED[other]?.includes(folder) === false ? sentence : []
  })
}

function mayImportPackage(folder: string, name: string, isTypeOnly: boolean): boolean {
  if (isTypeOnly && (name === 'koa' || name === 'jose')) return true
  // `jose/errors` is a part of the package `jose`.
  const [, packageName = name] = /^((?:@[^/]+\/)?[^/]+)/.exec(name) ?? []
  return PACKAGES[folder]?.includes(packageName) ?? false
}

/** Returns the groups of files that import one another in a circle, according to `graph`. */
export function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const numbers = new Map<string, number>()
  const lowest = new Map<string, number>()
  const path: string[] = []
  const circles: string[][] = []

  function visit(file: string): number {
    const number = numbers.size
    numbers.set(file, number)
    lowest.set(file, number)
    path.push(file)
    for (const next of graph.get(file) ?? []) {
      const reached = numbers.has(next) ? (path.includes(next) ? numbers.get(next) : undefined) : visit(next)
      if (reached !== undefined) lowest.set(file, Math.min(lowest.get(file) ?? number, reached))
    }
    const low = lowest.get(file) ?? number
    if (low === number) {
      const circle = path.splice(path.indexOf(file))
      if (circle.length > 1) circles.push(circle)
    }
    return low
  }

  for (const file of graph.keys()) if (!numbers.has(file)) visit(file)
  return circles
}
