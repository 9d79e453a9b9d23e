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

/** The element of the command has the id `step-${id}`. */
type Step = readonly [
  id: string,
  title: TextName,
  hint?: TextName | undefined,
  command?: string,
  note?: TextName,
]

/** The steps in a POSIX shell with curl, in their order. */
export function terminalSteps(call: Pick<Call, 'texts'>, values: GuideValues): Html {
  const { texts } = call
  return html`<ol class="steps">
    ${stepsOf(values).map(
      ([id, title, hint, command, note]) =>
        html`<li>
          <h3>${texts.html(title)}</h3>
          ${hint !== undefined && html`<p class="muted small">${texts.html(hint)}</p>`}
          ${note !== undefined && html`<p class="muted small">${texts.html(note)}</p>`}
          ${command !== undefined && copyable(call, `step-${id}`, command, texts.plain(title))}
        </li>`,
    )}
  </ol>`
}

function stepsOf(values: GuideValues): Step[] {
  const { redirectUri, readAddress, revocationAddress, hasSecret } = values
  const secret: Step = ['secret', 'guideStepSecret', 'guideStepSecretHint', SECRET_COMMAND]
  const api: Step =
    readAddress === undefined
      ? ['call', 'guideStepCall', 'guideNoRead']
      : ['call', 'guideStepCall', undefined, callCommand(readAddress)]
  const revocation = revocationCommand(revocationAddress, values)
  if (redirectUri === undefined) {
    const token: Step = ['token', 'guideStepToken', 'guideStepTokenHint', directTokenCommand(values)]
    return [secret, token, api, ['revoke', 'guideStepRevoke', 'guideStepRevokeKeyHint', revocation]]
  }
  const authorization = authorizationCommand(values)
  return [
    ['allow', 'guideStepAllow', 'guideStepAllowHint', authorization],
    ['code', 'guideStepCode', 'guideStepCodeHint', CODE_COMMAND, 'guideStepCodeNote'],
    ...(hasSecret ? [secret] : []),
    ['exchange', 'guideStepExchange', 'guideStepTokenHint', exchangeCommand(values, redirectUri)],
    api,
    ['refresh', 'guideStepRefresh', 'guideStepRefreshHint', refreshCommand(values)],
    ['revoke', 'guideStepRevoke', 'guideStepRevokeAppHint', revocation],
  ]
}

function authorizationCommand({ authorizationRequest }: GuideValues): string {
  return [
    'STATE=$(openssl rand -hex 16)',
    'VERIFIER=$(openssl rand -hex 32)',
    `CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 | tr '+/' '-_' | tr -d '=')`,
    `echo ${quote(authorizationRequest)}"&state=$STATE&code_challenge=$CHALLENGE"`,
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
