import { callCommand, clientArguments, keepCommand, quote, tokenRequest } from '../clients/commands.ts'
import { scopeText, type GuideValues } from './guide-values.ts'

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
    keepCommand('TOKEN', 'access_token'),
    keepCommand('REFRESH_TOKEN', 'refresh_token'),
  ].join('\n')
}

/** Calls the API; undefined if there is no operation to try. */
export function apiCommand({ readAddress }: GuideValues): string | undefined {
  return readAddress === undefined ? undefined : callCommand(readAddress)
}

/** Ends the token in the variable `TOKEN`. */
export function revocationCommand(values: GuideValues): string {
  return [
    `curl -i ${quote(values.revocationAddress)}`,
    ...clientArguments(values),
    `--data-urlencode "token=$TOKEN" -w '\\n'`,
  ].join(' \\\n  ')
}
