import { ifUnchanged } from '../../../clients/if-match.ts'
import { GatehouseError } from '../../../errors.ts'
import { requireAccess } from '../../front-door/access.ts'
import { actOf } from '../../front-door/key-limits.ts'
import { html } from '../../../http/html.ts'
import { panel } from '../elements/elements.ts'
import { field, form, linesOf } from '../elements/form.ts'
import { change, type ClientKind, type ClientPanel } from './client-kind.ts'

/** The form that sets the addresses from which a client may be used. */
export function addressesPanel(kind: ClientKind): ClientPanel {
  return {
    async show(call) {
      const { texts, resource: client } = call
      if (!(await call.may(`${kind.permissions}:write`))) return undefined
      const present = (client.allowedAddresses ?? []).join('\n')
      return panel(
        { title: texts.html('addressesTitle'), id: 'addresses' },
        form(
          call,
          { action: 'addresses' },
          html`<input type="hidden" name="addressesBefore" value="${present}" />
            ${field(call, {
              name: 'allowedAddresses',
              type: 'lines',
              label: texts.html('addressesLabel'),
              hint: texts.html('addressesHint'),
              value: present,
              isCode: true,
              autocomplete: 'off',
            })}
            <p class="hint">${texts.html('addressesRevoke')}</p>
            <div class="buttons"><button>${texts.html('saveButton')}</button></div>`,
        ),
      )
    },
    actions: {
      addresses: change(kind, 'doneAddressesSaved', async (call) => {
        const { resource, form: sent, change: options } = call
        const chosen = linesOf(sent.get('allowedAddresses') ?? '')
        const present = resource.allowedAddresses ?? []
        // A form that is sent twice changes nothing the second time.
        if (chosen.join('\n') === present.join('\n')) return resource
        await requireAccess(call, `${kind.permissions}:${actOf(resource, { allowedAddresses: chosen })}`)
        if (linesOf(sent.get('addressesBefore') ?? '').join('\n') !== present.join('\n')) {
          throw new GatehouseError('ERR_CONFLICT', 'the allowed addresses were changed meanwhile')
        }
        return kind.service.update(
          resource.clientId,
          { allowedAddresses: chosen },
          ifUnchanged(options, resource),
        )
      }),
    },
  }
}
