import { etagOf, IF_MATCH, type ConditionalChange } from '../../../clients/client-etag.ts'
import type { Client, ClientChanges } from '../../../clients/client.ts'
import type { FieldForm } from '../../../clients/field-row.ts'
import { hasCode } from '../../../errors.ts'
import { CLIENT_ACTIONS } from '../../front-door/client-actions.ts'
import { Form } from '../../../http/form-body.ts'
import { html, type Html } from '../../../http/html.ts'
import { notice } from '../elements/elements.ts'
import { form } from '../elements/form.ts'
import { factsOf, toChanges, typedTexts } from '../elements/plain-inputs.ts'
import type { Action, Call } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import { runForOwner } from './client-action-forms.ts'
import type { ClientKind } from './client-kind.ts'

interface FieldsForm {
  readonly action: string
  readonly forms: readonly FieldForm[]
  readonly inputs: (call: Call<Client>) => Html | Promise<Html>
  /** Before the change. @throws {GatehouseError} `ERR_INVALID_ARGUMENT` */
  readonly check?: (client: Client, changes: ClientChanges) => void
}

/** A form that saves the fields of a page together, with the version of the client that it changes. */
export function fieldsForm(services: ConsoleServices, { action, forms, inputs, check }: FieldsForm) {
  return {
    /** If the client was changed meanwhile: its fields as they are now, and below what was typed. */
    async show(call: Call<Client>): Promise<Html> {
      const { texts, resource: client } = call
      const isLate = call.problems.some(({ code }) => code === 'ERR_CHANGED')
      const shown = isLate ? { ...call, form: new Form(), problems: [] } : call
      const version = shown.form.get('version') ?? etagOf(client)
      return html`${
        isLate &&
        notice(
          'warn',
          html`<p>${texts.html('appsChanged')}</p>
            ${factsOf(call, typedTexts(call.form, client, ...forms))}`,
        )
      }
      ${form(
        call,
        { action },
        html`<input type="hidden" name="version" value="${version}" /> ${await inputs(shown)}
          <div class="buttons"><button class="primary">${texts.html('saveButton')}</button></div>`,
      )}`
    },
    save: (kind: ClientKind): Action<Client> => ({
      access: `${kind.permissions}:write`,
      async run(call) {
        const { resource: client, form: sent, change, caller } = call
        const done = { done: 'doneSettingsSaved' } as const
        const changes = toChanges(typedTexts(sent, client, ...forms))
        if (Object.keys(changes).length === 0) return done
        check?.(client, changes)
        const conditional: ConditionalChange = { ...change, [IF_MATCH]: [sent.get('version') ?? ''] }
        try {
          await runForOwner(CLIENT_ACTIONS.update, { ...call, change: conditional }, services, { changes })
        } catch (error) {
          if (!hasCode(error, 'ERR_CHANGED')) throw error
          // The same form may have been sent twice at the same time.
          const present = await kind.service.findOwn(caller.accountId, client.clientId)
          if (typedTexts(sent, present, ...forms).size > 0) throw error
        }
        return done
      },
    }),
  }
}
