import { html, type Html } from '../../../http/html.ts'
import {
  callCommand,
  directTokenCommand,
  quote,
  revocationCommand,
  SECRET_COMMAND,
  tokenCommand,
} from '../clients/curl-commands.ts'
import { copyable } from '../elements/elements.ts'
import type { Call } from '../page-types.ts'
import type { TextName } from '../texts.ts'
import type { GuideValues } from './guide-values.ts'

/** The element of the lines to copy has the id `step-${id}`. */
interface Step {
  readonly id: string
  readonly title: TextName
  readonly hint?: TextName | undefined
  readonly note?: TextName | undefined
  readonly command: string | undefined
}

/** The steps in a POSIX shell with curl, in their order. */
export function terminalSteps(call: Pick<Call, 'texts'>, values: GuideValues): Html {
  const { texts } = call
  return html`<ol class="steps listing">
    ${stepsOf(values).map(
      ({ id, title, hint, note, command }) =>
        html`<li>
          <h3>${texts.html(title)}</h3>
          ${hint !== undefined && html`<p class="muted small">${texts.html(hint)}</p>`}
          ${note !== undefined && html`<p class="muted small">${texts.html(note)}</p>`}
          ${command !== undefined && copyable(call, `step-${id}`, command)}
        </li>`,
    )}
  </ol>`
}

function stepsOf(values: GuideValues): Step[] {
  const { redirectUri, readAddress, revocationAddress, hasSecret } = values
  const call = readAddress === undefined ? undefined : callCommand(readAddress)
  const hint = call === undefined ? 'guideNoRead' : undefined
  const secret: Step = {
    id: 'secret',
    title: 'guideStepSecret',
    hint: 'guideStepSecretHint',
    command: SECRET_COMMAND,
  }
  const api: Step = { id: 'call', title: 'guideStepCall', hint, command: call }
  const revoke: Step = {
    id: 'revoke',
    title: 'guideStepRevoke',
    command: revocationCommand(revocationAddress, values),
  }
  if (redirectUri === undefined) {
    const command = directTokenCommand(values)
    const token: Step = { id: 'token', title: 'guideStepToken', hint: 'guideStepTokenHint', command }
    return [secret, token, api, { ...revoke, hint: 'guideStepRevokeKeyHint' }]
  }
  return [
    {
      id: 'allow',
      title: 'guideStepAllow',
      hint: 'guideStepAllowHint',
      command: authorizationCommand(values, redirectUri),
    },
    {
      id: 'code',
      title: 'guideStepCode',
      hint: 'guideStepCodeHint',
      note: 'guideStepCodeNote',
      command: CODE_COMMAND,
    },
    ...(hasSecret ? [secret] : []),
    {
      id: 'exchange',
      title: 'guideStepExchange',
      hint: 'guideStepTokenHint',
      command: exchangeCommand(values, redirectUri),
    },
    api,
    {
      id: 'refresh',
      title: 'guideStepRefresh',
      hint: 'guideStepRefreshHint',
      command: refreshCommand(values),
    },
    { ...revoke, hint: 'guideStepRevokeAppHint' },
  ]
}

function authorizationCommand(values: GuideValues, redirectUri: string): string {
  const { authorizationAddress, clientId } = values
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: values.operations.map(({ scope }) => scope).join(' '),
    code_challenge_method: 'S256',
  })
  return [
    'STATE=$(openssl rand -hex 16)',
    'VERIFIER=$(openssl rand -hex 32)',
    `CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 | tr '+/' '-_' | tr -d '=')`,
    `echo ${quote(`${authorizationAddress}?${query.toString()}`)}"&state=$STATE&code_challenge=$CHALLENGE"`,
  ].join('\n')
}

const CODE_COMMAND = `printf 'Code: '; read -r CODE`

function exchangeCommand(values: GuideValues, redirectUri: string): string {
  const parameters = [
    '-d grant_type=authorization_code',
    `--data-urlencode ${quote(`redirect_uri=${redirectUri}`)}`,
    '--data-urlencode "code=$CODE"',
    '-d "code_verifier=$VERIFIER"',
  ]
  return tokenCommand(values, parameters, ['TOKEN', 'REFRESH_TOKEN'])
}

function refreshCommand(values: GuideValues): string {
  const parameters = ['-d grant_type=refresh_token', '--data-urlencode "refresh_token=$REFRESH_TOKEN"']
  return tokenCommand(values, parameters, ['TOKEN', 'REFRESH_TOKEN'])
}
