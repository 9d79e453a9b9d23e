import { randomUUID } from 'node:crypto'
import { createClient } from '../../clients/repeatable/repeatable-changes.ts'
import type { Form } from '../../http/form-body.ts'
import { html, type Html } from '../../http/html.ts'
import { field, form } from '../elements/form.ts'
import { page, type Call, type Page, type View } from '../page.ts'
import { word, type ClientKind, type ClientPageServices, type NewClientInput } from './client-kind.ts'
import { trail } from './client-trail.ts'
import { productChoices, readProductChoices } from './product-choices.ts'
import { requireValidSecret } from './require-valid-secret.ts'
import { secretView } from './secret-view.ts'

/** The form for a new client. It answers with the page that shows the secret. */
export function newPage(kind: ClientKind, services: ClientPageServices): Page {
  const { catalog, accounts, repeatable } = services

  function read(sent: Form): NewClientInput {
    return {
      name: sent.get('name') ?? '',
      ...readProductChoices(sent, catalog.current),
      ...(kind.kind === 'application' && { redirectUris: linesOf(sent.get('redirectUris') ?? '') }),
    }
  }

  async function create(call: Call): Promise<View> {
    const { caller, change } = call
    const input = read(call.form)
    const { client, clientSecret = '' } = await createClient({
      repeatable,
      caller,
      key: call.form.get('request') ?? '',
      target: `console ${kind.base}/new`,
      body: input,
      kind: kind.kind,
      service: kind.service,
      create: (derived) => kind.create(caller, { ...input, ...change }, derived),
    })
    await requireValidSecret(kind, client.clientId)
    return secretView(call, kind, services, { client, clientSecret, isRotation: false })
  }

  return page({
    path: `${kind.base}/new`,
    section: kind.section,
    access: `${kind.permissions}:create`,
    async show(call) {
      const { texts, to, caller } = call
      const hasLevels = kind.kind === 'application'
      const account = hasLevels ? await accounts.find(caller.accountId, caller.userId) : undefined
      return {
        title: texts.plain(word(kind, 'NewTitle')),
        body: html`${trail(call, kind)}
          <h1>${texts.html(word(kind, 'NewTitle'))}</h1>
          <section class="panel">
            ${form(
              call,
              { action: 'create' },
              html`<input type="hidden" name="request" value="${call.form.get('request') ?? randomUUID()}" />
                ${field(call, {
                  name: 'name',
                  label: texts.html('clientsName'),
                  hint: texts.html(word(kind, 'NameHint')),
                  isRequired: true,
                  isFocused: true,
                  maxLength: 120,
                  autocomplete: 'off',
                })}
                ${productChoices(call, { catalog: catalog.current, hasLevels, kycLevel: account?.kycLevel })}
                ${kind.kind === 'application' && redirectUris(call)}
                <div class="buttons">
                  <button class="primary">${texts.html(word(kind, 'Create'))}</button>
                  <a class="button plain" href="${to(kind.base)}">${texts.html('cancelLink')}</a>
                </div>`,
            )}
          </section>`,
      }
    },
    actions: { create: { access: `${kind.permissions}:create`, run: create } },
  })
}

function redirectUris(call: Call): Html {
  const { texts } = call
  return field(call, {
    name: 'redirectUris',
    label: texts.html('clientsRedirectUris'),
    hint: texts.html('clientsRedirectUrisHint'),
    type: 'lines',
    isCode: true,
  })
}

/** The lines of a field of several lines, without empty lines. */
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
