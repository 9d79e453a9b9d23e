import { html } from '../../../http/html.ts'
import { panel } from '../elements/elements.ts'
import { field, form } from '../elements/form.ts'
import { pathOf, word, change, type ClientKind, type ClientPanel } from './client-kind.ts'
import { MAX_NAME_LENGTH } from '../../../validation/rules.ts'

/** The form that changes the name of a client. */
export function settingsPanel(kind: ClientKind): ClientPanel {
  return {
    async show(call) {
      const { texts, to, resource: client } = call
      const path = pathOf(kind, client)
      if (!(await call.may(`${kind.permissions}:write`))) return undefined
      const links = html`<p class="line">
        <a href="${to(`${path}/settings`)}">${texts.html('clientsMoreSettings')}</a
        ><a href="${to(`${path}/preview`)}">${texts.html('clientsPreview')}</a>
      </p>`
      return panel(
        { title: texts.html('clientsSettings'), id: 'settings' },
        html`${form(
          call,
          { action: 'rename' },
          html`${field(call, {
              name: 'name',
              label: texts.html('nameLabel'),
              hint: texts.html(word(kind, 'NameHint')),
              value: client.name,
              isRequired: true,
              maxLength: MAX_NAME_LENGTH,
              autocomplete: 'off',
            })}
            <div class="buttons"><button>${texts.html('saveButton')}</button></div>`,
        )}
        ${kind.kind === 'application' && links}`,
      )
    },
    actions: {
      rename: change(kind, 'doneRenamed', ({ resource: { clientId }, form: sent, change: options }) =>
        kind.service.update(clientId, { name: sent.get('name') ?? '' }, options),
      ),
    },
  }
}
