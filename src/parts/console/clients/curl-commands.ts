import type { Catalog } from '../../../catalog/catalog.ts'

export interface ClientAtEndpoint {
  readonly clientId: string
  readonly tokenAddress: string
  readonly hasSecret?: boolean | undefined
}

/** The secret is neither on the screen nor in the history of the shell. */
export const SECRET_COMMAND = `printf 'Client secret: '; stty -echo; read -r CLIENT_SECRET; stty echo; echo; export CLIENT_SECRET`

const TOKENS = { TOKEN: 'access_token', REFRESH_TOKEN: 'refresh_token' }

/** The lines for a POSIX shell that request tokens, and keep them in variables. */
export function tokenCommand(
  { tokenAddress, ...client }: ClientAtEndpoint,
  parameters: readonly string[],
  keep: readonly (keyof typeof TOKENS)[],
): string {
  const request = [`curl -s ${quote(tokenAddress)}`, ...clientArguments(client), ...parameters]
  return [
    `RESPONSE=$(${request.join(' \\\n  ')})`,
    'echo "$RESPONSE"',
    ...keep.map(
      (name) => `${name}=$(printf %s "$RESPONSE" | sed -n 's/.*"${TOKENS[name]}":"\\([^"]*\\)".*/\\1/p')`,
    ),
  ].join('\n')
}

export function directTokenCommand(client: ClientAtEndpoint): string {
  return tokenCommand(client, ['-d grant_type=client_credentials'], ['TOKEN'])
}

/** Without the braces, some shells would read the second of the pasted lines as the secret. */
export function secretAndTokenCommand(client: ClientAtEndpoint): string {
  return `{\n${SECRET_COMMAND}\n${directTokenCommand(client)}\n}`
}

export function callCommand(address: string): string {
  return `curl -i ${quote(address)} -H "Authorization: Bearer $TOKEN" -w '\\n'`
}

export function revocationCommand(address: string, client: ClientAtEndpoint): string {
  return [
    `curl -i ${quote(address)}`,
    ...clientArguments(client),
    `--data-urlencode "token=$TOKEN" -w '\\n'`,
  ].join(' \\\n  ')
}

function clientArguments({ clientId, hasSecret = true }: Omit<ClientAtEndpoint, 'tokenAddress'>): string[] {
  const id = `--data-urlencode ${quote(`client_id=${clientId}`)}`
  return hasSecret ? [id, '--data-urlencode "client_secret=$CLIENT_SECRET"'] : [id]
}

/** The first GET operation without a parameter in its path. */
export function firstReadAddress(catalog: Catalog, scopes: readonly string[], audience: string) {
  const routes = scopes.flatMap((scope) => catalog.operations.get(scope)?.routes ?? [])
  const first = routes.find(({ method, path }) => method === 'GET' && !path.includes('/:'))
  return first && new URL(audience + first.path).href
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
