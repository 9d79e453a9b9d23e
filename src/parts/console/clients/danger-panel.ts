import type { Client } from '../../../clients/client.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import { html, type Html } from '../../../http/html.ts'
import { panel, actionRow } from '../elements/elements.ts'
import { confirmLink } from '../elements/confirm.ts'
import { form } from '../elements/form.ts'
import type { Call } from '../page-types.ts'
import { pathOf, word, change, give, type ClientKind, type ClientPanel } from './client-kind.ts'

/** Stops all programs that use a client: disable it, report its secret as leaked, or delete it. */
export function dangerPanel(kind: ClientKind): ClientPanel {
  return {
    async show(call) {
      const { texts, to, resource: client } = call
      const [mayReport, maySwitch, mayDelete] = await Promise.all([
        call.may(`${kind.permissions}:report`),
        call.may(`${kind.permissions}:${client.disabled ? 'give' : 'write'}`),
        call.may(`${kind.permissions}:delete`),
      ])
      if (!mayReport && !mayDelete) return undefined
      const link = (page: 'report-compromised' | 'delete', text: Html) =>
        html`<a class="button slim danger" href="${to(`${pathOf(kind, client)}/${page}`)}">${text}</a>`
      const leak = link('report-compromised', texts.html('clientsLeakedLink'))
      const [leaked, leakedHint] = client.jwks
        ? (['keysLeaked', 'keysLeakedHint'] as const)
        : (['clientsLeaked', 'clientsLeakedHint'] as const)
      const deletion = link('delete', texts.html('clientsDeleteLink'))
      return panel(
        { title: texts.html('clientsDanger'), id: 'danger', isDanger: true },
        html`<ul class="items">
          ${maySwitch && client.disabledBy === undefined && disabling(call, kind)}
          ${mayReport && !isPublicClient(client) && actionRow(texts.html(leaked), texts.html(leakedHint), leak)}
          ${mayDelete && actionRow(texts.html(word(kind, 'Delete')), texts.html('clientsDeleteHint'), deletion)}
        </ul>`,
      )
    },
    actions: {
      disable: change(
        kind,
        'doneClientDisabled',
        ({ resource: { clientId }, change: options }) => kind.service.disable(clientId, options),
        () => ({ title: word(kind, 'Disable'), what: 'clientsDisableHint', button: 'disableButton' }),
      ),
      enable: give(kind, 'doneClientEnabled', ({ resource: { clientId }, change: options }) =>
        kind.service.enable(clientId, options),
      ),
    },
  }
}

function disabling(call: Call<Client>, kind: ClientKind): Html {
  const { texts, resource } = call
  return resource.disabled
    ? actionRow(
        texts.html(word(kind, 'Enable')),
        texts.html('clientsEnableHint'),
        form(
          call,
          { action: 'enable', isInline: true },
          html`<button class="slim">${texts.html('enableButton')}</button>`,
        ),
      )
    : actionRow(
        texts.html(word(kind, 'Disable')),
        texts.html('clientsDisableHint'),
        confirmLink(call, { action: 'disable' }, texts.html('disableButton')),
      )
}
