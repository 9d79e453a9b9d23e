import path from 'node:path'

/**
 * The floors of the source tree, from the top down. A floor is a list of rooms, and a room is a folder or a
 * file. A room may import only rooms of lower floors. This rule includes type-only imports. If several rooms
 * contain a file, the file belongs to the room with the longest path.
 */
const FLOORS: readonly (readonly string[])[] = [
  ['src/index.ts', 'src/testing'],
  // The two composition roots.
  ['src/gatehouse', 'src/gateway.ts'],
  ['src/options'],
  ['src/management', 'src/console'],
  ['src/authorization-server/routing'],
  ['src/authorization-server/provider'],
  ['src/authorization-server/interaction'],
  ['src/access'],
  ['src/gateway'],
  ['src/grants', 'src/backup'],
  ['src/health', 'src/clients'],
  ['src/catalog'],
  ['src/revocation', 'src/keys'],
  ['adapters'],
  ['src/audit'],
  ['src/store'],
  ['src/http'],
  ['src/host'],
  ['src/validation', 'src/async'],
  ['src/errors.ts'],
]

/**
 * The packages that a room may import at run time. Every room may also import Node's own modules, and the
 * types of Koa and jose.
 */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'src/testing': ['jose'],
  'src/gatehouse': ['keygrip', 'koa-compose'],
  'src/options': ['valibot'],
  'src/management': ['@koa/bodyparser', '@koa/router', '@valibot/to-json-schema', 'valibot'],
  'src/console': ['@koa/router'],
  'src/authorization-server/routing': ['koa-compose'],
  'src/authorization-server/provider': ['oidc-provider', 'koa', 'koa-compose', 'keygrip'],
  'src/gateway': ['jose'],
  'src/keys': ['jose'],
}

/** Rooms that only the listed rooms may import. The host chooses an adapter, so the library imports no adapter. */
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

/** Returns the room of a file, or undefined if the file is in no room. */
export function roomOf(file: string): string | undefined {
  const rooms = FLOORS.flat().filter(
    (room) => file === room || file === `${room}.ts` || file.startsWith(`${room}/`),
  )
  return rooms.toSorted((one, other) => other.length - one.length)[0]
}

/** Returns the index of a room's floor. The lowest floor has the highest index. */
function floorOf(room: string): number {
  return FLOORS.findIndex((rooms) => rooms.includes(room))
}

/** Describes each forbidden import of a file in a sentence. */
export function forbiddenImports(file: string, source: string): string[] {
  const room = file.startsWith('adapters/') ? 'adapters' : roomOf(file)
  if (room === undefined) return [`${file} is in no room of the source tree`]
  return importsOf(file, source).flatMap(({ specifier, isTypeOnly, file: target }) => {
    if (specifier.startsWith('node:')) return []
    const sentence = [`${file} imports ${isTypeOnly ? 'types of ' : ''}${specifier}`]
    if (target === undefined) return mayImportPackage(room, specifier, isTypeOnly) ? [] : sentence
    const other = target.startsWith('adapters/') ? 'adapters' : roomOf(target)
    if (other === room) return []
    if (other === undefined || floorOf(other) <= floorOf(room)) return sentence
    return CLOSED[other]?.includes(room) === false ? sentence : []
  })
}

function mayImportPackage(room: string, name: string, isTypeOnly: boolean): boolean {
  if (isTypeOnly && (name === 'koa' || name === 'jose')) return true
  return PACKAGES[room]?.includes(name) ?? false
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
