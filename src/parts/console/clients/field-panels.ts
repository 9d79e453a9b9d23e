import type { Client, ClientChanges } from '../../../clients/client.ts'
import { GatehouseError } from '../../../errors.ts'
import { CLIENT_ACTIONS } from '../../front-door/client-actions.ts'
import type { Form } from '../../../http/form-body.ts'
import { html, type HtmlValue } from '../../../http/html.ts'
import { panel } from '../elements/elements.ts'
import { form, linesOf } from '../elements/form.ts'
import { inputNames, plainInput, toChanges, typedTexts } from '../elements/plain-inputs.ts'
import type { Call, Redirect } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import type { TextName } from '../texts.ts'
import { runForOwner } from './client-action-forms.ts'
import { backTo, pathOf, type ClientKind, type ClientPanel } from './client-kind.ts'

interface FieldPanel {
  readonly id: string
  readonly title: TextName
  readonly action: string
  readonly isHidden?: (client: Client) => boolean
  readonly above?: (call: Call<Client>) => HtmlValue
  readonly inputs: (call: Call<Client>) => HtmlValue
  readonly below?: (call: Call<Client>) => HtmlValue
  /** Only the fields that change: a form that is sent twice changes nothing the second time. */
  readonly read: (sent: Form, client: Client) => ClientChanges
  readonly done: (changes: ClientChanges) => Redirect['done']
  /** For a field whose change revokes tokens. What changed since the form was shown is not overwritten. */
  readonly guard?: {
    readonly warning: (call: Call<Client>) => HtmlValue | Promise<HtmlValue>
    /** The hidden input with the value that the form changes. */
    readonly input: string
    readonly textOf: (client: Client) => string
  }
}

/** A form on the page of a client that sets fields. */
export function fieldPanel(kind: ClientKind, services: ConsoleServices, options: FieldPanel): ClientPanel {
  const { id, title, action, isHidden, above, inputs, below, read, done, guard } = options
  return {
    async show(call) {
      const { texts, resource: client } = call
      if (isHidden?.(client) || !(await call.may(`${kind.permissions}:write`))) return undefined
      const warning = await guard?.warning(call)
      const content = html`${guard && html`<input type="hidden" name="${guard.input}" value="${guard.textOf(client)}" />`}
        ${inputs(call)} ${warning && html`<p class="hint">${warning}</p>`}
        <div class="buttons"><button>${texts.html('saveButton')}</button></div>`
      return panel(
        { title: texts.html(title), id },
        html`${above?.(call)} ${form(call, { action }, content)} ${below?.(call)}`,
      )
    },
    actions: {
      [action]: {
        access: `${kind.permissions}:write`,
        async run(call) {
          const { resource: client, form: sent } = call
          const changes = read(sent, client)
          if (Object.keys(changes).length > 0) {
            if (guard && linesOf(sent.get(guard.input) ?? '').join('\n') !== guard.textOf(client))
              throw new GatehouseError('ERR_CONFLICT', 'the field was changed meanwhile')
            await runForOwner(CLIENT_ACTIONS.update, call, services, { changes })
          }
          return backTo(kind, client, done(changes))
        },
      },
    },
  }
}

export function settingsPanel(kind: ClientKind, services: ConsoleServices): ClientPanel {
  return fieldPanel(kind, services, {
    id: 'settings',
    title: 'clientsSettings',
    action: 'rename',
    inputs: (call) => inputNames(kind.kind, 'client').map((name) => plainInput(call, name, 'client')),
    below({ texts, to, resource: client }) {
      const path = pathOf(kind, client)
      const links = html`<p class="line">
        <a href="${to(`${path}/settings`)}">${texts.html('clientsMoreSettings')}</a
        ><a href="${to(`${path}/preview`)}">${texts.html('clientsPreview')}</a>
      </p>`
      return kind.kind === 'application' && links
    },
    // A form without a name is rejected, as a form with an empty name.
    read: (sent, client) => ({
      ...(!sent.has('name') && { name: '' }),
      ...toChanges(typedTexts(sent, client, 'client')),
    }),
    done: (changes) => {
      const isRenamed = Object.keys(changes).every((name) => name === 'name')
      return isRenamed ? 'doneRenamed' : 'doneSettingsSaved'
    },
  })
}

export function addressesPanel(kind: ClientKind, services: ConsoleServices): ClientPanel {
  return fieldPanel(kind, services, {
    id: 'addresses',
    title: 'addressesTitle',
    action: 'addresses',
    inputs: (call) => plainInput(call, 'allowedAddresses', 'addresses'),
    read: (sent, client) => toChanges(typedTexts(sent, client, 'addresses')),
    done: () => 'doneAddressesSaved',
    guard: {
      warning: ({ texts }) => texts.html('addressesRevoke'),
      input: 'addressesBefore',
      textOf: ({ allowedAddresses = [] }) => allowedAddresses.join('\n'),
    },
  })
}
