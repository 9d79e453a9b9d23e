import type { Client } from '../../clients/client.ts'
import { html, type Html } from '../../http/html.ts'
import { actionRow } from '../elements/action-row.ts'
import { panel } from '../elements/elements.ts'
import { form } from '../elements/form.ts'
import type { Call } from '../page.ts'
import { pathOf, word, type ClientKind } from './client-kind.ts'
import { backTo, type ClientPanel } from './client-panel.ts'

/** What stops programs that use a client: to disable it, to report its secret as leaked, and to delete it. */
export function dangerPanel(kind: ClientKind): ClientPanel {
  const access = `${kind.permissions}:write` as const
  return {
    async show(call) {
      const { texts, to, resource: client } = call
      const [mayWrite, mayDelete] = await Promise.all([
        call.may(access),
        call.may(`${kind.permissions}:delete`),
      ])
      if (!mayWrite && !mayDelete) return undefined
      const link = (page: 'report-compromised' | 'delete', text: Html) =>
        html`<a class="button slim danger" href="${to(`${pathOf(kind, client)}/${page}`)}">${text}</a>`
      const leak = link('report-compromised', texts.html('clientsLeakedLink'))
      const deletion = link('delete', texts.html('clientsDeleteLink'))
      return panel(
        { title: texts.html('clientsDanger'), id: 'danger', isDanger: true },
        html`<ul class="items">
          ${mayWrite && (client.disabled ? enabling(call, kind) : disabling(call, kind))}
          ${mayWrite && actionRow(texts.html('clientsLeaked'), texts.html('clientsLeakedHint'), leak)}
          ${mayDelete && actionRow(texts.html(word(kind, 'Delete')), texts.html('clientsDeleteHint'), deletion)}
        </ul>`,
      )
    },
    actions: {
      disable: {
        access,
        async run({ resource: client, change }) {
          await kind.service.disable(client.clientId, change)
          return backTo(kind, client, 'doneClientDisabled')
        },
      },
      enable: {
        access,
        async run({ resource: client, change }) {
          await kind.service.enable(client.clientId, change)
          return backTo(kind, client, 'doneClientEnabled')
        },
      },
    },
  }
}

function disabling(call: Call<Client>, kind: ClientKind): Html {
  const { texts } = call
  const button = html`<button class="slim danger">${texts.html('clientsDisable')}</button>`
  return actionRow(
    texts.html(word(kind, 'Disable')),
    texts.html('clientsDisableHint'),
    form(call, { action: 'disable', isInline: true, confirm: texts.plain('clientsDisableConfirm') }, button),
  )
}

function enabling(call: Call<Client>, kind: ClientKind): Html {
  const { texts } = call
  return actionRow(
    texts.html(word(kind, 'Enable')),
    texts.html('clientsEnableHint'),
    form(
      call,
      { action: 'enable', isInline: true },
      html`<button class="slim">${texts.html('clientsEnable')}</button>`,
    ),
  )
}
