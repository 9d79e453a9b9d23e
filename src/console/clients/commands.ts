import type { Catalog } from '../../catalog/catalog.ts'

/** The client in a request to an endpoint. The secret is in the variable `CLIENT_SECRET`. */
export interface ClientAtEndpoint {
  readonly clientId: string
  readonly tokenAddress: string
}

/** Reads the secret without showing it, so that it is neither on the screen nor in the history of the shell. */
export const SECRET_COMMAND = `printf 'Client secret: '; stty -echo; read -r CLIENT_SECRET; stty echo; echo; export CLIENT_SECRET`

/** The line that keeps a field of the last response in a variable. */
export function keepCommand(variable: string, field: string): string {
  return `${variable}=$(printf %s "$RESPONSE" | sed -n 's/.*"${field}":"\\([^"]*\\)".*/\\1/p')`
}

/** The arguments with which curl sends the client and its secret. */
export function clientArguments({ clientId }: Pick<ClientAtEndpoint, 'clientId'>): string[] {
  return [
    `--data-urlencode ${quote(`client_id=${clientId}`)}`,
    '--data-urlencode "client_secret=$CLIENT_SECRET"',
  ]
}

/** The lines for a POSIX shell that send a request to the token endpoint, and print the response. */
export function tokenRequest(client: ClientAtEndpoint, parameters: readonly string[]): string {
  const lines = [`curl -s ${quote(client.tokenAddress)}`, ...clientArguments(client), ...parameters]
  return `RESPONSE=$(${lines.join(' \\\n  ')})\necho "$RESPONSE"`
}

/** The lines that get a token of an API key. They keep it in the variable `TOKEN`. */
export function directTokenCommand(client: ClientAtEndpoint): string {
  return [
    tokenRequest(client, ['-d grant_type=client_credentials']),
    keepCommand('TOKEN', 'access_token'),
  ].join('\n')
}

/**
 * One block of lines that asks for the secret of an API key, and gets a token. Terminals pass on all pasted lines at once.
 * Without the braces, some shells would take the second line for the secret.
 */
export function secretAndTokenCommand(client: ClientAtEndpoint): string {
  return `{\n${SECRET_COMMAND}\n${directTokenCommand(client)}\n}`
}

/** The line that calls an address of the API with the token in the variable `TOKEN`. */
export function callCommand(address: string): string {
  return `curl -i ${quote(address)} -H "Authorization: Bearer $TOKEN" -w '\\n'`
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
