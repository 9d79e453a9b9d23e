import { html, type Html } from '../../http/html.ts'
import { directTokenCommand, SECRET_COMMAND } from '../clients/commands.ts'
import { copyable } from '../elements/elements.ts'
import type { Call } from '../page.ts'
import type { TextName } from '../texts.ts'
import {
  apiCommand,
  authorizationCommand,
  CODE_COMMAND,
  exchangeCommand,
  refreshCommand,
  revocationCommand,
} from './curl-commands.ts'
import type { GuideValues } from './guide-values.ts'

/** One step: its title, what happens, and the lines to copy. Their element has the id `step-` and this id. */
interface Step {
  readonly id: string
  readonly title: TextName
  readonly hint?: TextName | undefined
  /** What to do if the step fails. */
  readonly note?: TextName | undefined
  /** Undefined if there is nothing to copy. */
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
  const { redirectUri } = values
  const call = apiCommand(values)
  const hint = call === undefined ? 'guideNoRead' : undefined
  const secret: Step = {
    id: 'secret',
    title: 'guideStepSecret',
    hint: 'guideStepSecretHint',
    command: SECRET_COMMAND,
  }
  const api: Step = { id: 'call', title: 'guideStepCall', hint, command: call }
  const revoke: Step = { id: 'revoke', title: 'guideStepRevoke', command: revocationCommand(values) }
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
    secret,
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
