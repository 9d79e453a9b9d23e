import type { Client } from '../../../clients/client.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import { html } from '../../../http/html.ts'
import { applicationName } from '../../../http/pages/display-text.ts'
import { buttons, panel } from '../elements/elements.ts'
import { field, form } from '../elements/form.ts'
import { page, type Page } from '../page-types.ts'
import { ifUnchanged } from '../../../clients/if-match.ts'
import { requireAccess } from '../../front-door/access.ts'
import { backTo, ownClient, pathOf, trail, word, type ClientKind } from './client-kind.ts'

/** Gives a client to the account, or to another person of the account. */
export function handOverPage(kind: ClientKind): Page {
  const access = `${kind.permissions}:handOver` as const
  return page<Client>({
    ...ownClient(kind, '/hand-over'),
    access,
    freshSignIn: kind.kind === 'apiKey' ? 'keys:rotate' : undefined,
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
                ${client.kind === 'apiKey' && (['handOverTokens', 'handOverToPerson', 'handOverToAccount'] as const).map((point) => html`<li>${texts.html(point)}</li>`)}
                ${client.kind === 'application' && !isPublicClient(client) && html`<li>${texts.html('handOverSecrets')}</li>`}
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
      handOver: {
        access,
        async run(call) {
          const { resource } = call
          const userId = call.form.get('userId')?.trim() || null
          if (userId === null) await requireAccess(call, `${kind.permissions}:handToAccount`)
          const options = { ...ifUnchanged(call.change, resource), protectNewOwner: true }
          await kind.service.handOver(resource.clientId, userId, options)
          return backTo(kind, resource, 'doneHandedOver')
        },
      },
    },
  })
}
