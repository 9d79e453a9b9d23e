import type { Client } from '../../../clients/client.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import { html, type Html } from '../../../http/html.ts'
import { actionRow } from '../elements/elements.ts'
import { confirmLink } from '../elements/confirm.ts'
import { form } from '../elements/form.ts'
import type { Call, Confirmation } from '../page-types.ts'

/** The row of the action and its confirmation page share these texts. */
export const CLIENT_ACTIONS = {
  disable: { title: 'operatorDisableTitle', what: 'operatorDisableText', button: 'disableButton' },
  revokeTokens: {
    title: 'operatorRevokeTokensTitle',
    what: 'operatorRevokeTokensText',
    button: 'operatorRevokeTokens',
  },
  reportCompromised: {
    title: 'clientsLeaked',
    what: 'operatorCompromisedText',
    button: 'operatorCompromised',
  },
} as const satisfies Readonly<Record<string, Confirmation>>

/** The actions of an operator on a client, each with its consequences. */
export function clientActions(call: Call<unknown>, client: Client): Html {
  const { texts } = call
  const { disabled, disabledBy } = client
  const enable = () =>
    actionRow(
      texts.html('operatorEnableTitle'),
      texts.html('operatorEnableText'),
      form(
        call,
        { action: 'enable', isInline: true },
        html`<button class="slim">${texts.html('enableButton')}</button>`,
      ),
    )
  const { disable, revokeTokens, reportCompromised } = CLIENT_ACTIONS
  return html`<ul class="items">
    ${disabled && enable()}
    ${
      // Also if its owner has disabled it: the owner then cannot enable the client.
      disabledBy !== 'operator' && dangerRow(call, 'disable', disable)
    }
    ${dangerRow(call, 'revokeTokens', revokeTokens)}
    ${!isPublicClient(client) && dangerRow(call, 'reportCompromised', reportCompromised)}
  </ul>`
}

export function dangerRow(
  call: Pick<Call, 'self' | 'texts'>,
  action: string,
  { title, what, button }: Confirmation,
): Html {
  const { texts } = call
  return actionRow(texts.html(title), texts.html(what), confirmLink(call, { action }, texts.html(button)))
}
