import type { Client, ClientChanges } from '../../../clients/client.ts'
import type { FieldForm } from '../../../clients/field-row.ts'
import type { KeyPolicy } from '../../../clients/expiry-policy.ts'
import { changeRules } from '../../../clients/rules-from-fields.ts'
import { webRedirectUrisRule } from '../../../clients/application-uris.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName } from '../../../http/pages/display-text.ts'
import { logoTile } from '../../../http/pages/logo-tile.ts'
import { panel } from '../elements/elements.ts'
import { inputNames, plainFacts, plainInput } from '../elements/plain-inputs.ts'
import type { ConsoleServices } from '../services.ts'
import type { Call } from '../page-types.ts'
import { checkInput, optional } from '../../../validation/rules.ts'
import { LISTED_ACTIONS } from '../../front-door/client-actions.ts'
import { actionList, actionsFor, type Viewer } from './client-action-forms.ts'
import type { ClientPart } from './client-kind.ts'
import { fieldsForm } from './fields-form.ts'

const FORMS = ['client', 'signIn', 'appearance'] as const

/** The name and the addresses of a client, which are saved together, and what disables and deletes it. */
export function settingsPart(viewer: Viewer, services: ConsoleServices): ClientPart {
  const fields = fieldsForm(services, {
    action: 'save',
    forms: FORMS,
    inputs: (call) => inputs(call, viewer),
    check: (client, changes) => checkAddresses(client, changes, services.keyPolicy),
  })
  return {
    path: '/settings',
    title: 'clientsSettings',
    images: (client) => (viewer.kind && 'logoUri' in client ? [client.logoUri] : []),
    async show(call) {
      const shown = (await viewer.may(call, 'write'))
        ? await fields.show(call)
        : html`<div class="panel">${plainFacts(call, call.resource, ...FORMS)}</div>`
      return html`${shown} ${await actionList(call, viewer, 'settings')}`
    },
    actions: {
      ...actionsFor(viewer, services, LISTED_ACTIONS.settings),
      ...(viewer.kind && { save: fields.save(viewer.kind) }),
    },
  }
}

function inputs(call: Call<Client>, viewer: Viewer): Html {
  const { texts, to, resource: client } = call

  function inputsOf(of: FieldForm, ...first: string[]) {
    const names = new Set([...first, ...inputNames(client.kind, of)])
    return html`<div class="fields">${[...names].map((name) => plainInput(call, name, of))}</div>`
  }

  if (client.kind === 'apiKey') return html`<div class="panel">${inputsOf('client')}</div>`
  return html`${panel({ title: texts.html('appsSignIn') }, inputsOf('signIn', 'redirectUris', 'origins'))}
  ${panel(
    { title: texts.html('appsAppearance') },
    html`<div class="beside">
        ${viewer.kind && logoTile(applicationName(client), client.logoUri)}
        <p class="muted">
          ${texts.html('appsAppearanceHint')}
          ${viewer.kind && html`<a href="${to(`${viewer.pathOf(client)}/preview`)}">${texts.html('appsPreviewLink')}</a>`}
        </p>
      </div>
      ${inputsOf('appearance')}`,
  )}`
}

/** The service would also name schemes that only a public application may use. */
function checkAddresses(client: Client, changes: ClientChanges, keyPolicy: KeyPolicy): void {
  if (client.kind !== 'application' || client.isPublic) return
  const web = optional(webRedirectUrisRule)
  const rules = changeRules('application', keyPolicy)
  checkInput('the form has mistakes', changes, { ...rules, redirectUris: web, postLogoutRedirectUris: web })
}
