import type { Client } from '../../clients/client.ts'
import { html } from '../../http/html.ts'
import { applicationName } from '../../http/pages/display-text.ts'
import { panel } from '../elements/elements.ts'
import { form } from '../elements/form.ts'
import { page, type Page } from '../page.ts'
import { clientFinder, pathOf, type ClientKind } from './client-kind.ts'
import { backTo } from './client-panel.ts'
import { trail } from './client-trail.ts'

/** Asks before all secrets and tokens of a client are revoked, because a secret leaked. */
export function reportPage(kind: ClientKind): Page {
  const access = `${kind.permissions}:write` as const
  return page<Client>({
    path: `${kind.base}/:clientId/report-compromised`,
    section: kind.section,
    access,
    find: clientFinder(kind),
    target: ({ clientId }) => ({ clientId }),
    async show(call) {
      const { texts, to, resource: client } = call
      const name = applicationName(client)
      return {
        title: texts.plain('clientsReportTitle', { name }),
        body: html`${trail(call, kind, client)}
          <h1>${texts.html('clientsReportTitle', { name })}</h1>
          ${panel(
            { title: texts.html('clientsWhatHappens'), isDanger: true },
            html`<ul class="points">
                <li>${texts.html('clientsReportSecrets')}</li>
                <li>${texts.html('clientsReportTokens')}</li>
                <li>${texts.html('clientsReportNext')}</li>
                ${client.kind === 'application' && html`<li>${texts.html('clientsReportUsers')}</li>`}
              </ul>
              ${form(
                call,
                { action: 'report' },
                html`<div class="buttons">
                  <button class="danger">${texts.html('clientsReportButton')}</button>
                  <a class="button plain" href="${to(pathOf(kind, client))}">${texts.html('cancelLink')}</a>
                </div>`,
              )}`,
          )}`,
      }
    },
    actions: {
      report: {
        access,
        async run({ resource: client, change }) {
          await kind.service.reportCompromised(client.clientId, change)
          return backTo(kind, client, 'doneClientReported')
        },
      },
    },
  })
}
