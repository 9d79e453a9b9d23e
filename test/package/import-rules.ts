import path from 'node:path'

/**
 * What the files of each zone may import: other zones and packages. A zone is a folder of `src`, a file that
 * stands in `src` itself, or `adapters`. `type:` before a name allows `import type` alone. Every zone may
 * import itself; Node's own modules and the types of koa are open to all but
 * `errors.ts`, which imports nothing.
 */
const ZONES: Readonly<Record<string, readonly string[]>> = {
  // Leaves that all may import.
  host: [],
  scheduling: [],
  // From here on arrows only go down.
  store: [],
  http: [],
  catalog: [],
  registry: ['store', 'type:catalog', 'type:tokens', 'catalog/resolve-scopes.ts'],
  keys: ['store', 'type:catalog', 'jose'],
  tokens: ['store', 'type:catalog'],
  // What there is to say of a store, keys and products, for those who have them.
  health: ['type:store', 'store/verdicts.ts', 'type:keys', 'type:catalog', 'catalog/given.ts'],
  // Its public routes are written, and found, as operations are.
  gateway: [
    'health',
    'type:catalog',
    'catalog/fold-text.ts',
    'catalog/route.ts',
    'catalog/route-index.ts',
    'catalog/deep-freeze.ts',
    'http/public-document.ts',
    'jose',
  ],
  // What a host, or the end of a process, sets going: over all that knows of tokens.
  'taking-back': [
    'registry',
    'type:tokens',
    'type:catalog',
    'catalog/resolve-scopes.ts',
    'gateway/verify-token.ts',
    'tokens/grants/grant.ts',
    'tokens/grants/grant-record.ts',
    'type:store',
    'store/unreadable.ts',
  ],
  interaction: ['http', 'type:catalog', 'catalog/localize.ts'],
  provider: [
    'catalog',
    'registry',
    'keys',
    'tokens',
    'store',
    'http',
    'interaction/port.ts',
    // The policy of consent is pure, and the one that the pages go by.
    'interaction/consent.ts',
    'type:options.ts',
    'oidc-provider',
    'koa',
    'koa-compose',
    'keygrip',
  ],
  mount: ['http', 'interaction', 'provider', 'type:catalog', 'type:registry', 'type:tokens', 'koa-compose'],
  'lifecycle.ts': [],
  // What products give, on all processes of a store.
  agreement: ['catalog', 'store', 'type:tokens'],
  // What of all that goes from one store to another.
  moving: ['registry', 'agreement', 'store', 'tokens', 'type:keys', 'catalog/given.ts'],
  'after-ready.ts': [],
  'internals.ts': ['type:catalog', 'type:keys', 'type:settings', 'type:store'],
  'infer.ts': ['type:catalog', 'type:options.ts'],
  'options.ts': ['type:catalog', 'type:interaction', 'type:keys', 'type:registry', 'type:store'],
  settings: [
    'valibot',
    'catalog',
    'type:keys',
    'type:registry',
    'type:store',
    'type:options.ts',
    'interaction/texts.ts',
  ],
  // The two composition roots, and what is published.
  'gateway.ts': [
    'gateway',
    'health',
    'catalog',
    'settings',
    'store/guarded-store.ts',
    'tokens/revocations/known-revocations.ts',
    'tokens/revocations/remote-revocations.ts',
    'tokens/revocations/revocation-log.ts',
    'type:*',
  ],
  'gatehouse.ts': ['composition/assemble.ts', 'type:infer.ts', 'type:*'],
  composition: [
    'type:gatehouse.ts',
    'store',
    'catalog',
    'registry',
    'keys',
    'tokens',
    'gateway',
    'health',
    'interaction',
    'provider',
    'type:options.ts',
    'settings',
    'mount',
    'taking-back',
    'lifecycle.ts',
    'internals.ts',
    'start.ts',
    'agreement',
    'moving',
    'after-ready.ts',
    'keygrip',
    'koa-compose',
  ],
  // The part of the root that runs when the store is there.
  'start.ts': [
    'gateway',
    'provider',
    'type:agreement',
    'type:keys',
    'type:tokens',
    'type:taking-back',
    'type:settings',
    'type:jose',
  ],
  'index.ts': ['gatehouse.ts', 'infer.ts', 'options.ts', 'registry/secrets.ts', 'type:*'],
  testing: [
    'gatehouse.ts',
    'gateway.ts',
    'internals.ts',
    'registry',
    'keys',
    'store/in-use.ts',
    'type:*',
    'adapters',
    'jose',
  ],
  adapters: ['type:store', 'store/verdicts.ts'],
}

const OPEN_TO_ALL = ['errors.ts', 'host', 'scheduling', 'type:koa']
const IMPORT = /^\s*(?:import|export)\s+(type\s+)?(?:[\w$*{},\s]+?\sfrom\s+)?['"]([^'"]+)['"]/gm
const DYNAMIC_IMPORT = /\b(?:import|require)\(\s*()['"]([^'"]+)['"]/g

/** The zone of a file, given by its path from the root of the repository. */
function zoneOf(file: string): string {
  const [top = '', second = ''] = file.split('/')
  return top === 'src' ? second : top
}

/** The imports of a file that its zone may not have, as sentences. */
export function forbiddenImports(file: string, source: string): string[] {
  const zone = zoneOf(file)
  const allowed = zone === 'errors.ts' ? [] : ZONES[zone]?.concat(OPEN_TO_ALL)
  if (allowed === undefined) return [`${file}: the zone ${zone} is in no import rule`]

  const imports = [...source.matchAll(IMPORT), ...source.matchAll(DYNAMIC_IMPORT)]
  return imports.flatMap(([, typeOnly, specifier = '']) => {
    if (specifier.startsWith('node:')) return []
    const target = specifier.startsWith('.')
      ? path.posix.join(path.posix.dirname(file), specifier)
      : undefined
    // A relative import is allowed by its zone or by the file itself, a package by its name.
    const names = target === undefined ? [specifier] : [zoneOf(target), target.replace(/^src\//, '')]
    if (names.includes(zone)) return []
    const may = [...names, ...(typeOnly ? [...names.map((name) => `type:${name}`), 'type:*'] : [])]
    if (may.some((name) => allowed.includes(name))) return []
    return [`${file} imports ${typeOnly ? 'types of ' : ''}${specifier}`]
  })
}
