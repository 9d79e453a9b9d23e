import { breaksPolicy, tokensEnd } from '../../../clients/expiry-policy.ts'
import { isGatewayKey, type Client } from '../../../clients/client.ts'
import { CLIENT_ACTIONS } from '../../front-door/client-actions.ts'
import { runAsOperator } from '../../front-door/run-client-action.ts'
import { html, type Html } from '../../../http/html.ts'
import { facts, panel } from '../elements/elements.ts'
import { plainInput } from '../elements/plain-inputs.ts'
import { limitsIn, limitsPanel } from '../operator/limits-panel.ts'
import type { Action, Call } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import type { Viewer } from './client-action-forms.ts'
import type { ClientPart } from './client-kind.ts'
import { expiryFact, expiryField, mayOutlive } from './expiry-view.ts'
import { fieldsForm } from './fields-form.ts'
import { addressesFact } from './summary-part.ts'

/** Until when, from where and how often a client may be used. */
export function restrictionsPart(viewer: Viewer, services: ConsoleServices): ClientPart {
  const { keyPolicy, limits } = services
  const fields = fieldsForm(services, { action: 'restrict', forms: ['restrictions'], inputs })

  async function inputs(call: Call<Client>): Promise<Html> {
    const { texts, resource: client } = call
    const hasExpiry = !isGatewayKey(client) || client.expiresAt !== undefined
    const end = await tokensEnd(client, services)
    return html`${
      hasExpiry &&
      panel(
        { title: texts.html('expiryTitle'), id: 'expiry' },
        html`${breaksPolicy(client, keyPolicy) && html`<p>${texts.html('expiryBreaksPolicy')}</p>`}
        ${expiryField(call, keyPolicy, client)}
        ${mayOutlive(client, end) && html`<p class="hint">${texts.html('expiryEarlier', { day: texts.date(end - 1) })}</p>`}`,
      )
    }
    ${panel(
      { title: texts.html('addressesTitle'), id: 'addresses' },
      html`${plainInput(call, 'allowedAddresses', 'restrictions')}
        <p class="hint">${texts.html('addressesRevoke')}</p>`,
    )}`
  }

  return {
    path: '/restrictions',
    title: 'restrictionsTitle',
    async show(call) {
      const { texts, resource: client } = call
      const [mayWrite, calls] = await Promise.all([viewer.may(call, 'write'), limits?.callsOf(client)])
      return html`${
        mayWrite
          ? await fields.show(call)
          : html`<div class="panel">
              ${facts([
                [texts.html('expiryTitle'), expiryFact(call, client)],
                [texts.html('addressesTitle'), addressesFact(call, client) || texts.html('addressesAny')],
              ])}
            </div>`
      }
      ${limits && !isGatewayKey(client) && limitsPanel(call, client, limits, { calls, isForOperators: !viewer.kind })}`
    },
    actions: viewer.kind
      ? { restrict: fields.save(viewer.kind) }
      : limits && { limits: limitsAction(services) },
  }
}

function limitsAction(services: ConsoleServices): Action<Client> {
  return {
    access: 'operator',
    async run(call) {
      const input = { limits: limitsIn(call.form) }
      const { clientId } = call.resource
      await runAsOperator(CLIENT_ACTIONS.setLimits, clientId, { ...call, parts: services, input })
      return { done: 'doneLimitsSaved' }
    },
  }
}
