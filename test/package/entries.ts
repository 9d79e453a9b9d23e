import { readFileSync } from 'node:fs'
import path from 'node:path'
import { importsOf } from './layers.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** Of jose, what verifies a token. The whole of jose would take as much CPU time as all else of the gateway. */
const VERIFYING = ['jose/decode/protected_header', 'jose/errors', 'jose/jwt/decode', 'jose/jwt/verify']

/** The packages that each entry loads. */
export const PACKAGES_OF_ENTRIES: Readonly<Record<string, readonly string[]>> = {
  'koa-gatehouse': ['jose', ...VERIFYING, 'keygrip', 'koa', 'koa-compose', 'oidc-provider'],
  'koa-gatehouse/gateway': [...VERIFYING, 'jose/jwks/remote'].toSorted(),
  'koa-gatehouse/console': ['@koa/router'],
  'koa-gatehouse/management': ['@koa/bodyparser', '@koa/router'],
  'koa-gatehouse/backup': [],
  'koa-gatehouse/leak-reports': [],
  'koa-gatehouse/usage': [],
  'koa-gatehouse/limits': [],
  'koa-gatehouse/openapi': [],
  'koa-gatehouse/mcp': [],
  'koa-gatehouse/testing': ['jose'],
  'koa-gatehouse/adapters/memory': [],
  'koa-gatehouse/adapters/postgres': [],
  'koa-gatehouse/adapters/redis': [],
  'koa-gatehouse/adapters/sqlite': [],
}

/** Returns the source files that an entry loads at run time, and the packages that they import. */
export function loadedBySources(entry: string): { files: string[]; packages: string[] } {
  const files = new Set([entry])
  const packages = new Set<string>()
  for (const file of files) {
    for (const { specifier, isTypeOnly, file: target } of importsOf(
      file,
      readFileSync(path.join(root, file), 'utf8'),
    )) {
      if (isTypeOnly || specifier.startsWith('node:')) continue
      if (target) files.add(target)
      else packages.add(specifier)
    }
  }
  return { files: [...files], packages: [...packages].toSorted() }
}
