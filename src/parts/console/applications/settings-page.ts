import { webRedirectUrisRule } from '../../../clients/application-fields.ts'
import { applicationChanges, type ApplicationChanges } from '../../../clients/applications.ts'
import type { Application } from '../../../clients/client.ts'
import { IF_MATCH, type ConditionalChange } from '../../../clients/if-match.ts'
import { GatehouseError } from '../../../errors.ts'
import { Form } from '../../../http/form-body.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName } from '../../../http/pages/display-text.ts'
import { applicationKind, ownClient, pathOf, trail } from '../clients/client-kind.ts'
import { facts, notice } from '../elements/elements.ts'
import { FIELD_LABELS } from '../elements/problem-list.ts'
import type { ConsoleServices } from '../services.ts'
import { page, type Call, type Page, type Redirect, type View } from '../page-types.ts'
import { checkInput, optional } from '../../../validation/rules.ts'
import { levelPanel } from './level-panel.ts'
import {
  changedFields,
  readTexts,
  settingsForm,
  textsOf,
  toChanges,
  type SettingsTexts,
} from './settings-form.ts'

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

  /** The service would also name schemes that only a public application may use. */
  function checkWebAddresses(changes: ApplicationChanges): void {
    const web = optional(webRedirectUrisRule)
    const rules = applicationChanges(services.keyPolicy)
    checkInput('the form has mistakes', changes, { ...rules, redirectUris: web, postLogoutRedirectUris: web })
  }

  async function save(call: Call<Application>): Promise<View | Redirect> {
    const { resource: application, form, change } = call
    const done: Redirect = { redirect: `${pathOf(kind, application)}/settings`, done: 'doneSettingsSaved' }
    const stored = textsOf(application)
    const wanted = readTexts(form, stored)
    const fields = changedFields(stored, wanted)
    if (fields.length === 0) return done
    const changes = toChanges(wanted, fields)
    if (!application.isPublic) checkWebAddresses(changes)
    const conditional: ConditionalChange = { ...change, [IF_MATCH]: [form.get('version') ?? ''] }
    try {
      await services.applications.update(application.clientId, changes, conditional)
      return done
    } catch (error) {
      if (!(error instanceof GatehouseError) || error.code !== 'ERR_CHANGED') throw error
      return (await changedMeanwhile(call, wanted)) ?? done
    }
  }

  /** If another user has saved meanwhile: the stored settings, and the submitted values that differ. */
  async function changedMeanwhile(call: Call<Application>, wanted: SettingsTexts): Promise<View | undefined> {
    const { caller, params, texts } = call
    const resource = await kind.service.findOwn(caller.accountId, params['clientId'] ?? '')
    const lost = changedFields(textsOf(resource), wanted)
    // The same form was sent twice at the same time.
    if (lost.length === 0) return undefined
    const entered = facts(
      lost.map((name) => [
        texts.html(FIELD_LABELS[name]),
        wanted[name] === '' ? texts.html('none') : html`<bdi class="lines">${wanted[name]}</bdi>`,
      ]),
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
