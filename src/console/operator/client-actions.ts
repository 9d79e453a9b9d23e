import type { Client } from '../../clients/client.ts'
import { html, type Html } from '../../http/html.ts'
import { form } from '../elements/form.ts'
import type { Call } from '../page.ts'
import type { TextName } from '../texts.ts'
import { actionRow } from '../elements/elements.ts'

/** The action, and its texts: what it is, what the button says, what it does, and the question before it. */
type Row = readonly [action: string, title: TextName, button: TextName, text: TextName, confirm?: TextName]

const ENABLE: Row = ['enable', 'operatorEnableTitle', 'enableButton', 'operatorEnableText']
const DISABLE: Row = [
  'disable',
  'operatorDisableTitle',
  'disableButton',
  'operatorDisableText',
  'operatorDisableConfirm',
]
const REVOKE: Row = [
  'revokeTokens',
  'operatorRevokeTokensTitle',
  'operatorRevokeTokens',
  'operatorRevokeTokensText',
  'operatorRevokeTokensConfirm',
]
const COMPROMISED: Row = [
  'reportCompromised',
  'clientsLeaked',
  'operatorCompromised',
  'operatorCompromisedText',
  'operatorCompromisedConfirm',
]

/** What an operator can do with a client, each with what happens then. */
export function clientActions(call: Call<unknown>, client: Client): Html {
  return actionRows(call, [client.disabled ? ENABLE : DISABLE, REVOKE, COMPROMISED])
}

/** Buttons in rows, each after the text that says what it does. */
export function actionRows(call: Pick<Call, 'self' | 'csrfToken' | 'texts'>, actions: readonly Row[]): Html {
  const { texts } = call
  return html`<ul class="items">
    ${actions.map(([action, title, button, text, confirm]) =>
      actionRow(
        texts.html(title),
        texts.html(text),
        form(
          call,
          { action, isInline: true, confirm: confirm && texts.plain(confirm) },
          html`<button class="slim ${action === 'reportCompromised' && 'danger'}">
            ${texts.html(button)}
          </button>`,
        ),
      ),
    )}
  </ul>`
}
