import type { Client } from '../../../clients/client.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import { Rejection } from '../../front-door/rejection.ts'
import { html, type Html, type HtmlValue } from '../../../http/html.ts'
import { applicationName, displayText } from '../../../http/pages/display-text.ts'
import { buttons, notice, panel } from '../elements/elements.ts'
import { field, form } from '../elements/form.ts'
import { page, type Call, type Page, type View } from '../page-types.ts'
import type { TextName } from '../texts.ts'
import { backTo, ownClient, pathOf, trail, word, type ClientKind } from './client-kind.ts'

/** The page that asks for confirmation before a permanent change of a client: the consequences, and the form. */
function confirmation(
  call: Call<Client>,
  kind: ClientKind,
  { title, points, content }: { title: TextName; points: HtmlValue; content: Html },
): View {
  const { texts, resource: client } = call
  const name = applicationName(client)
  return {
    title: texts.plain(title, { name }),
    trail: trail(call, kind, client),
    body: html`<h1>${texts.html(title, { name })}</h1>
      ${panel(
        { title: texts.html('clientsWhatHappens'), isDanger: true },
        html`<ul class="points">
            ${points}
          </ul>
          ${content}`,
      )}`,
  }
}

/** The texts of the report of a leak. */
const REPORTS = {
  secrets: {
    title: 'clientsReportTitle',
    secrets: 'clientsReportSecrets',
    next: 'clientsReportNext',
    button: 'clientsReportButton',
    done: 'doneClientReported',
  },
  keys: {
    title: 'keysReportTitle',
    secrets: 'keysReportSecrets',
    next: 'keysReportNext',
    button: 'keysReportButton',
    done: 'doneKeysReported',
  },
} as const

const reportOf = ({ jwks }: Client) => REPORTS[jwks ? 'keys' : 'secrets']

/** After a leak, asks for confirmation before all secrets, keys and tokens of a client are revoked. */
export function reportPage(kind: ClientKind): Page {
  return page<Client>({
    ...ownClient(kind, '/report-compromised'),
    access: `${kind.permissions}:report`,
    async show(call) {
      const { texts, to, resource: client } = call
      // A public application has nothing that could leak.
      if (isPublicClient(client)) throw new Rejection('noRoute')
      const { title, secrets, next, button } = reportOf(client)
      return confirmation(call, kind, {
        title,
        points: html`<li>${texts.html(secrets)}</li>
          <li>${texts.html('clientsReportTokens')}</li>
          <li>${texts.html(next)}</li>
          ${client.kind === 'application' && html`<li>${texts.html('clientsReportUsers')}</li>`}`,
        content: form(call, { action: 'report' }, buttons(call, button, to(pathOf(kind, client)))),
      })
    },
    actions: {
      report: {
        access: `${kind.permissions}:report`,
        async run({ resource: client, change: options }) {
          await kind.service.reportCompromised(client.clientId, options)
          return backTo(kind, client, reportOf(client).done)
        },
      },
    },
  })
}

/** Asks for the name of a client before the client is deleted. */
export function deletePage(kind: ClientKind): Page {
  const access = `${kind.permissions}:delete` as const

  function view(call: Call<Client>, isWrong = false): View {
    const { texts, to, resource: client } = call
    const { body, ...others } = confirmation(call, kind, {
      title: 'clientsDeleteTitle',
      points: html`<li>${texts.html('clientsDeleteTokens')}</li>
        <li>${texts.html(word(kind, 'DeleteWhat'))}</li>
        <li>${texts.html('clientsDeleteForever')}</li>`,
      content: form(
        call,
        { action: 'delete' },
        html`${field(call, {
          name: 'name',
          label: texts.html('clientsDeleteName', { name: nameOf(client) }),
          isRequired: true,
          autocomplete: 'off',
        })}
        ${buttons(call, word(kind, 'Delete'), to(pathOf(kind, client)))}`,
      ),
    })
    return {
      ...others,
      ...(isWrong && { status: 422 }),
      // The script puts the focus on the first notice or heading.
      body: html`${isWrong && notice('bad', html`<p>${texts.html('clientsDeleteWrong')}</p>`)}${'\n'}${body}`,
    }
  }

  return page<Client>({
    ...ownClient(kind, '/delete'),
    access,
    freshSignIn: access,
    show: async (call) => view(call),
    actions: {
      delete: {
        access,
        async run(call) {
          const { resource: client, change: options } = call
          const typed = (call.form.get('name') ?? '').trim()
          if (typed !== nameOf(client) && typed !== client.name) return view(call, true)
          await kind.service.delete(client.clientId, options)
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
