import type { Client } from '../../clients/client.ts'
import { isPublicClient } from '../../clients/public-applications.ts'
import { html } from '../../http/html.ts'
import { applicationName } from '../../http/pages/display-text.ts'
import { buttons, panel } from '../elements/elements.ts'
import { field, form } from '../elements/form.ts'
import { page, type Page } from '../page-types.ts'
import { ifUnchanged } from '../../clients/if-match.ts'
import { requireHandOver } from '../../front-door/grantable-operations.ts'
import type { ConsoleServices } from '../services.ts'
import { change, ownClient, pathOf, trail, word, type ClientKind } from './client-kind.ts'

/** Gives a client to the account, or to another person of the account. */
export function handOverPage(kind: ClientKind, services: ConsoleServices): Page {
  return page<Client>({
    ...ownClient(kind, '/hand-over'),
    access: `${kind.permissions}:write`,
    async show(call) {
      const { texts, to, resource: client } = call
      const name = applicationName(client)
      return {
        title: texts.plain('handOverTitle', { name }),
        trail: trail(call, kind, client),
        body: html`<h1>${texts.html('handOverTitle', { name })}</h1>
          ${panel(
            { title: texts.html('clientsWhatHappens') },
            html`<ul class="points">
                <li>${texts.html('handOverWhat')}</li>
                ${client.kind === 'apiKey' && html`<li>${texts.html('handOverTokens')}</li>`}
                ${!isPublicClient(client) && html`<li>${texts.html('handOverSecrets')}</li>`}
              </ul>
              ${form(
                call,
                { action: 'handOver' },
                html`${field(call, {
                  name: 'userId',
                  label: texts.html('handOverTo'),
                  hint: texts.html('handOverHint'),
                  autocomplete: 'off',
                  isCode: true,
                })}
                ${buttons(call, word(kind, 'HandOver'), to(pathOf(kind, client)), 'primary')}`,
              )}`,
          )}`,
      }
    },
    actions: {
      handOver: change(kind, 'doneHandedOver', async ({ resource, caller, form: sent, change: options }) => {
        const userId = (sent.get('userId') ?? '').trim() || null
        await requireHandOver(services, caller, resource, userId)
        return kind.service.handOver(resource.clientId, userId, ifUnchanged(options, resource))
      }),
    },
  })
}
