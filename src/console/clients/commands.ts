import type { Catalog } from '../../catalog/catalog.ts'

/** The lines for a POSIX shell that get a token of an API key. They keep it in the variable `TOKEN`, and print it. */
export function tokenCommand(issuer: string, clientId: string, clientSecret: string): string {
  return [
    `TOKEN=$(curl -s ${quote(`${issuer}/oauth2/token`)} \\`,
    `  -u ${quote(`${clientId}:${clientSecret}`)} \\`,
    `  -d grant_type=client_credentials | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `echo "$TOKEN"`,
  ].join('\n')
}

/** The line that calls an address of the API with the token in the variable `TOKEN`. */
export function callCommand(address: string): string {
  return `curl -i ${quote(address)} -H "Authorization: Bearer $TOKEN"`
}

/**
 * The address of the first GET operation among these scopes that needs no parameter in its path; undefined if there is none.
 */
export function firstReadAddress(
  catalog: Catalog,
  scopes: readonly string[],
  audience: string,
): string | undefined {
  for (const scope of scopes) {
    for (const { method, path } of catalog.operations.get(scope)?.routes ?? []) {
      if (method === 'GET' && !path.includes('/:')) return new URL(audience + path).href
    }
  }
  return undefined
}

/** A word for a POSIX shell, in which no character has a special meaning. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
