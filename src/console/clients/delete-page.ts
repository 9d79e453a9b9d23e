import type { Client } from '../../clients/client.ts'
import { html } from '../../http/html.ts'
import { applicationName, displayText } from '../../http/pages/display-text.ts'
import { notice, panel } from '../elements/elements.ts'
import { field, form } from '../elements/form.ts'
import { page, type Call, type Page, type View } from '../page.ts'
import { clientFinder, pathOf, word, type ClientKind } from './client-kind.ts'
import { trail } from './client-trail.ts'

/** Asks for the name of a client before the client is deleted. */
export function deletePage(kind: ClientKind): Page {
  const access = `${kind.permissions}:delete` as const

  async function view(call: Call<Client>, isWrong: boolean): Promise<View> {
    const { texts, to, resource: client } = call
    const name = applicationName(client)
    return {
      title: texts.plain('clientsDeleteTitle', { name }),
      ...(isWrong && { status: 422 }),
      // The script puts the focus on the first notice or heading.
      body: html`${isWrong && notice('bad', html`<p>${texts.html('clientsDeleteWrong')}</p>`)}
        ${trail(call, kind, client)}
        <h1>${texts.html('clientsDeleteTitle', { name })}</h1>
        ${panel(
          { title: texts.html('clientsWhatHappens'), isDanger: true },
          html`<ul class="points">
              <li>${texts.html('clientsDeleteTokens')}</li>
              <li>${texts.html(word(kind, 'DeleteWhat'))}</li>
              <li>${texts.html('clientsDeleteForever')}</li>
            </ul>
            ${form(
              call,
              { action: 'delete' },
              html`${field(call, {
                  name: 'name',
                  label: texts.html('clientsDeleteName', { name: nameOf(client) }),
                  isRequired: true,
                  autocomplete: 'off',
                })}
                <div class="buttons">
                  <button class="danger">${texts.html(word(kind, 'Delete'))}</button>
                  <a class="button plain" href="${to(pathOf(kind, client))}">${texts.html('cancelLink')}</a>
                </div>`,
            )}`,
        )}`,
    }
  }

  return page<Client>({
    path: `${kind.base}/:clientId/delete`,
    section: kind.section,
    access,
    find: clientFinder(kind),
    target: ({ clientId }) => ({ clientId }),
    show: (call) => view(call, false),
    actions: {
      delete: {
        access,
        async run(call) {
          const { resource: client, change } = call
          const typed = (call.form.get('name') ?? '').trim()
          if (typed !== nameOf(client) && typed !== client.name) return view(call, true)
          await kind.service.delete(client.clientId, change)
          return { redirect: kind.base, done: 'doneClientDeleted' }
        },
      },
    },
  })
}

/** The whole name as the page shows it, so that a person can type it. */
function nameOf({ name, clientId }: Client): string {
  return displayText(name, 120) || clientId
}
