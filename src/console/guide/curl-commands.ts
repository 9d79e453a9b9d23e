import { callCommand, quote } from '../clients/commands.ts'
import { scopeText, type GuideValues } from './guide-values.ts'

/** Reads the secret without showing it, so that it stands neither on the screen nor in the history of the shell. */
export const SECRET_COMMAND = `printf 'Client secret: '; stty -echo; read -r CLIENT_SECRET; stty echo; export CLIENT_SECRET`

/** Prints the response of the token endpoint, and keeps one of its fields in a variable. */
const keep = (variable: string, field: string) =>
  `${variable}=$(printf %s "$RESPONSE" | sed -n 's/.*"${field}":"\\([^"]*\\)".*/\\1/p')`

/** A request to the token endpoint. */
function tokenRequest({ tokenAddress, clientId }: GuideValues, parameters: readonly string[]): string {
  return [
    `RESPONSE=$(curl -s ${quote(tokenAddress)} \\`,
    `  --data-urlencode ${quote(`client_id=${clientId}`)} \\`,
    `  --data-urlencode "client_secret=$CLIENT_SECRET" \\`,
    ...parameters.map((each, at) => `  ${each}${at < parameters.length - 1 ? ' \\' : ')'}`),
    `echo "$RESPONSE"`,
  ].join('\n')
}

/** Gets a token of an API key. */
export function directTokenCommand(values: GuideValues): string {
  return [tokenRequest(values, ['-d grant_type=client_credentials']), keep('TOKEN', 'access_token')].join(
    '\n',
  )
}

/** Prints the address that a user opens to allow the application. */
export function authorizationCommand(values: GuideValues, redirectUri: string): string {
  const { authorizationAddress, clientId } = values
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopeText(values),
    code_challenge_method: 'S256',
  })
  return [
    'STATE=$(openssl rand -hex 16)',
    'VERIFIER=$(openssl rand -hex 32)',
    `CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 | tr '+/' '-_' | tr -d '=')`,
    `echo ${quote(`${authorizationAddress}?${query.toString()}`)}"&state=$STATE&code_challenge=$CHALLENGE"`,
  ].join('\n')
}

/** Reads the code from the address of the browser. */
export const CODE_COMMAND = `printf 'Code: '; read -r CODE`

/** Exchanges the code for tokens. */
export function exchangeCommand(values: GuideValues, redirectUri: string): string {
  const parameters = [
    '-d grant_type=authorization_code',
    `--data-urlencode ${quote(`redirect_uri=${redirectUri}`)}`,
    '--data-urlencode "code=$CODE"',
    '-d "code_verifier=$VERIFIER"',
  ]
  return withBothTokens(values, parameters)
}

/** Gets new tokens for a refresh token. */
export function refreshCommand(values: GuideValues): string {
  return withBothTokens(values, [
    '-d grant_type=refresh_token',
    '--data-urlencode "refresh_token=$REFRESH_TOKEN"',
  ])
}

function withBothTokens(values: GuideValues, parameters: readonly string[]): string {
  return [
    tokenRequest(values, parameters),
    keep('TOKEN', 'access_token'),
    keep('REFRESH_TOKEN', 'refresh_token'),
  ].join('\n')
}

/** Calls the API; undefined if there is no operation to try. */
export function apiCommand({ readAddress }: GuideValues): string | undefined {
  return readAddress === undefined ? undefined : callCommand(readAddress)
}
