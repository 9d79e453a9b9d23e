import type { Catalog } from '../../../catalog/catalog.ts'

/** A client and the token endpoint, to which it sends its requests. */
export interface ClientAtEndpoint {
  readonly clientId: string
  readonly tokenAddress: string
  /** Whether the client sends its secret. @default true */
  readonly hasSecret?: boolean | undefined
}

/** Reads the secret without showing it, so that it is neither on the screen nor in the history of the shell. */
export const SECRET_COMMAND = `printf 'Client secret: '; stty -echo; read -r CLIENT_SECRET; stty echo; echo; export CLIENT_SECRET`

/** The shell variables that store tokens, each with the field of the response that contains the token. */
const TOKENS = { TOKEN: 'access_token', REFRESH_TOKEN: 'refresh_token' }

/**
 * The lines for a POSIX shell that send a request to the token endpoint. They print the response, and keep its tokens
 * in variables. The secret, if the client has one, is in the variable `CLIENT_SECRET`.
 */
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

/** The lines that get a token of an API key. */
export function directTokenCommand(client: ClientAtEndpoint): string {
  return tokenCommand(client, ['-d grant_type=client_credentials'], ['TOKEN'])
}

/**
 * One block of lines that asks for the secret of an API key, and gets a token. Terminals pass on all pasted lines at
 * once. Without the braces, some shells would read the second line as the secret.
 */
export function secretAndTokenCommand(client: ClientAtEndpoint): string {
  return `{\n${SECRET_COMMAND}\n${directTokenCommand(client)}\n}`
}

/** The line that calls an address of the API with the token in the variable `TOKEN`. */
export function callCommand(address: string): string {
  return `curl -i ${quote(address)} -H "Authorization: Bearer $TOKEN" -w '\\n'`
}

/** The lines that revoke the token in the variable `TOKEN`. */
export function revocationCommand(
  address: string,
  client: Pick<ClientAtEndpoint, 'clientId' | 'hasSecret'>,
): string {
  return [
    `curl -i ${quote(address)}`,
    ...clientArguments(client),
    `--data-urlencode "token=$TOKEN" -w '\\n'`,
  ].join(' \\\n  ')
}

/** The arguments with which curl sends the client and its secret. */
function clientArguments({
  clientId,
  hasSecret = true,
}: Pick<ClientAtEndpoint, 'clientId' | 'hasSecret'>): string[] {
  const id = `--data-urlencode ${quote(`client_id=${clientId}`)}`
  return hasSecret ? [id, '--data-urlencode "client_secret=$CLIENT_SECRET"'] : [id]
}

/**
 * The address of the first GET operation among these scopes that needs no parameter in its path; undefined if there is
 * none.
 */
export function firstReadAddress(
  catalog: Catalog,
  scopes: readonly string[],
  audience: string,
): string | undefined {
  const routes = scopes.flatMap((scope) => catalog.operations.get(scope)?.routes ?? [])
  const first = routes.find(({ method, path }) => method === 'GET' && !path.includes('/:'))
  return first && new URL(audience + first.path).href
}

/** A word for a POSIX shell, in which no character has a special meaning. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
