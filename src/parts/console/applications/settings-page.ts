import type { Application } from '../../../clients/client.ts'
import type { FieldForm } from '../../../clients/field-row.ts'
import { changeRules } from '../../../clients/rules-from-fields.ts'
import { etagOf, IF_MATCH, type ConditionalChange } from '../../../clients/client-etag.ts'
import { webRedirectUrisRule } from '../../../clients/application-uris.ts'
import { GatehouseError } from '../../../errors.ts'
import { CLIENT_ACTIONS } from '../../front-door/client-actions.ts'
import { Form } from '../../../http/form-body.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName } from '../../../http/pages/display-text.ts'
import { logoTile } from '../../../http/pages/logo-tile.ts'
import { runForOwner } from '../clients/client-action-forms.ts'
import { applicationKind, ownClient, pathOf, trail } from '../clients/client-kind.ts'
import { facts, notice, panel } from '../elements/elements.ts'
import { form } from '../elements/form.ts'
import { inputNames, plainInput, SHOWN_FIELDS, toChanges, typedTexts } from '../elements/plain-inputs.ts'
import type { ConsoleServices } from '../services.ts'
import { page, type Call, type Page, type Redirect, type View } from '../page-types.ts'
import { checkInput, optional } from '../../../validation/rules.ts'
import { levelPanel } from './level-panel.ts'

/** The settings of an application, which are saved together. */
export function settingsPage(services: ConsoleServices): Page {
  const kind = applicationKind(services)

  async function view(call: Call<Application>, message?: Html): Promise<View> {
    const { texts, to, resource: application } = call
    const [mayChange, developer] = await Promise.all([
      call.may('applications:write'),
      services.accounts.find(application.accountId, application.userId),
    ])
    const name = applicationName(application)
    return {
      title: texts.plain('applicationSettingsTitle', { name }),
      images: [application.logoUri],
      trail: trail(call, kind, application),
      body: html`${message}
        <div class="line spread">
          <h1>${texts.html('clientsSettings')}</h1>
          <a class="button" href="${to(`${pathOf(kind, application)}/preview`)}"
            >${texts.html('appsPreviewLink')}</a
          >
        </div>
        ${settingsForm(call, mayChange)}
        ${levelPanel(call, services.catalog.current, application, developer?.kycLevel)}`,
    }
  }

  async function save(call: Call<Application>): Promise<View | Redirect> {
    const { resource: application, form: sent, change } = call
    const done: Redirect = { redirect: `${pathOf(kind, application)}/settings`, done: 'doneSettingsSaved' }
    const changes = toChanges(typedTexts(sent, application, 'signIn', 'appearance'))
    if (Object.keys(changes).length === 0) return done
    if (!application.isPublic) {
      // The service would also name schemes that only a public application may use.
      const web = optional(webRedirectUrisRule)
      const addresses = { redirectUris: web, postLogoutRedirectUris: web }
      const rules = changeRules('application', services.keyPolicy)
      checkInput('the form has mistakes', changes, { ...rules, ...addresses })
    }
    const conditional: ConditionalChange = { ...change, [IF_MATCH]: [sent.get('version') ?? ''] }
    try {
      await runForOwner(CLIENT_ACTIONS.update, { ...call, change: conditional }, services, { changes })
      return done
    } catch (error) {
      if (!(error instanceof GatehouseError) || error.code !== 'ERR_CHANGED') throw error
      return (await changedMeanwhile(call)) ?? done
    }
  }

  /** If another user has saved meanwhile: the stored settings, and the submitted values that differ. */
  async function changedMeanwhile(call: Call<Application>): Promise<View | undefined> {
    const { caller, params, texts } = call
    const resource = await kind.service.findOwn(caller.accountId, params['clientId'] ?? '')
    const lost = typedTexts(call.form, resource, 'signIn', 'appearance')
    // The same form was sent twice at the same time.
    if (lost.size === 0) return undefined
    const entered = facts(
      [...lost].map(([name, text]) => {
        const { label = 'none' } = SHOWN_FIELDS.get(name) ?? {}
        return [texts.html(label), text ? html`<bdi class="lines">${text}</bdi>` : texts.html('none')]
      }),
    )
    const message = notice(
      'warn',
      html`<p><strong>${texts.html('appsChangedTitle')}</strong></p>
        <p>${texts.html('appsChanged')}</p>
        ${entered}`,
    )
    return { ...(await view({ ...call, resource, form: new Form() }, message)), status: 409 }
  }

  return page<Application>({
    ...ownClient(kind, '/settings'),
    access: 'applications:read',
    show: (call) => view(call),
    actions: { save: { access: 'applications:write', run: save } },
  })
}

/** The form with all settings, with the version that it changes. @param mayChange else it is locked */
function settingsForm(call: Call<Application>, mayChange: boolean): Html {
  const { texts, resource: application } = call
  const version = call.form.get('version') ?? etagOf(application)

  function inputs(of: FieldForm, ...first: string[]) {
    const names = new Set([...first, ...inputNames('application', of)])
    return [...names].map((name) => {
      const input = plainInput(call, name, of)
      if (name !== 'logoUri') return html`${input} `
      return html`<div class="beside">
        ${input} ${logoTile(applicationName(application), application.logoUri)}
      </div> `
    })
  }

  const content = html`<input type="hidden" name="version" value="${version}" /> ${panel(
      { title: texts.html('appsSignIn') },
      html`${inputs('signIn', 'redirectUris', 'origins')}`,
    )}
    ${panel(
      { title: texts.html('appsAppearance') },
      html`<p class="muted">${texts.html('appsAppearanceHint')}</p>
        ${inputs('appearance')}`,
    )}`
  if (!mayChange) return html`<fieldset disabled class="stack">${content}</fieldset>`
  return form(
    call,
    { action: 'save' },
    html`${content}
      <div class="buttons"><button class="primary">${texts.html('saveButton')}</button></div>`,
  )
}
