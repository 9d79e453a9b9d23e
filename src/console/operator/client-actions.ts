import type { Client } from '../../clients/client.ts'
import { html, type Html } from '../../http/html.ts'
import { actionRow } from '../elements/action-row.ts'
import { form } from '../elements/form.ts'
import type { Call } from '../page.ts'
import type { TextName } from '../texts.ts'

/** The texts of an action: what it is, what the button says, what it does, and the question before it. */
interface ActionTexts {
  readonly action: string
  readonly title: TextName
  readonly button: TextName
  readonly text: TextName
  readonly confirm?: TextName
  readonly isDanger?: boolean
}

const ENABLE: ActionTexts = {
  action: 'enable',
  title: 'operatorEnableTitle',
  button: 'operatorEnable',
  text: 'operatorEnableText',
}
const DISABLE: ActionTexts = {
  action: 'disable',
  title: 'operatorDisableTitle',
  button: 'operatorDisable',
  text: 'operatorDisableText',
  confirm: 'operatorDisableConfirm',
}
const REVOKE: ActionTexts = {
  action: 'revokeTokens',
  title: 'operatorRevokeTokensTitle',
  button: 'operatorRevokeTokens',
  text: 'operatorRevokeTokensText',
  confirm: 'operatorRevokeTokensConfirm',
}
const COMPROMISED: ActionTexts = {
  action: 'reportCompromised',
  title: 'operatorCompromisedTitle',
  button: 'operatorCompromised',
  text: 'operatorCompromisedText',
  confirm: 'operatorCompromisedConfirm',
  isDanger: true,
}

/** What an operator can do with a client, each with what happens then. */
export function clientActions(call: Call<unknown>, client: Client): Html {
  return actionRows(call, [client.disabled ? ENABLE : DISABLE, REVOKE, COMPROMISED])
}

/** Buttons in rows, each after the text that says what it does. */
export function actionRows(
  call: Pick<Call, 'self' | 'csrfToken' | 'texts'>,
  actions: readonly ActionTexts[],
): Html {
  const { texts } = call
  return html`<ul class="items">
    ${actions.map(({ action, title, button, text, confirm, isDanger }) =>
      actionRow(
        texts.html(title),
        texts.html(text),
        form(
          call,
          { action, isInline: true, confirm: confirm && texts.plain(confirm) },
          html`<button class="slim ${isDanger && 'danger'}">${texts.html(button)}</button>`,
        ),
      ),
    )}
  </ul>`
}
