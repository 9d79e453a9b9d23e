import type { Client } from '../../clients/client.ts'
import { html, type Html } from '../../http/html.ts'
import { applicationName } from '../../http/pages/display-text.ts'
import {
  apiKeyKind,
  applicationKind,
  clientFinder,
  pathOf,
  type ClientKind,
  type ClientPageServices,
} from '../clients/client-kind.ts'
import { trail } from '../clients/client-trail.ts'
import { notice, panel } from '../elements/elements.ts'
import { page, type Call, type Page } from '../page.ts'
import { answers } from './answers.ts'
import { guideValues, type GuideValues } from './guide-values.ts'
import { programExamples } from './program-examples.ts'
import { terminalSteps } from './terminal-steps.ts'
import { valueFacts } from './value-facts.ts'

/** The guides of API keys and applications: how a program gets tokens and calls the API, with the client's own values. */
export function guidePages(services: ClientPageServices): Page[] {
  return [apiKeyKind(services.apiKeys), applicationKind(services.applications)].map((kind) =>
    page<Client>({
      path: `${kind.base}/:clientId/guide`,
      section: kind.section,
      access: `${kind.permissions}:read`,
      find: clientFinder(kind),
      target: ({ clientId }) => ({ clientId }),
      async show(call) {
        const { texts, resource: client } = call
        const values = await guideValues(services, client)
        const name = applicationName(client)
        return {
          title: `${texts.plain('guideTitle')} · ${name}`,
          body: html`${trail(call, kind, client)}
            <div class="tight">
              <h1>${texts.html('guideTitle')}</h1>
              <p class="muted">${texts.html('guideIntro', { name })}</p>
            </div>
            ${client.disabled && notice('warn', html`<p>${texts.html('guideDisabled')}</p>`)}
            ${content(call, kind, values)}`,
        }
      },
    }),
  )
}

/** The examples, or what the client needs before there can be any. */
function content(call: Call<Client>, kind: ClientKind, values: GuideValues): Html {
  const { texts, to, resource: client } = call
  const first = (title: Html, hint: Html, path: string, label: Html) =>
    html`<section class="panel empty">
      <h2>${title}</h2>
      <p class="muted">${hint}</p>
      <a class="button primary" href="${to(path)}">${label}</a>
    </section>`
  if (values.operations.length === 0) {
    const title = texts.html('guideNoOperation')
    return first(
      title,
      texts.html('guideNoOperationHint'),
      pathOf(kind, client),
      texts.html('guideOpenClient'),
    )
  }
  if (values.kind === 'application' && values.redirectUri === undefined) {
    return first(
      texts.html('guideNoRedirect'),
      texts.html('guideNoRedirectHint'),
      `${pathOf(kind, client)}/settings`,
      texts.html('guideOpenSettings'),
    )
  }
  return html`${panel({ title: texts.html('guideSettings') }, valueFacts(call, values))}
  ${panel({ title: texts.html('guideTerminal') }, terminalSteps(call, values))}
  ${panel({ title: texts.html('guideProgram') }, programExamples(call, values))}
  ${panel({ title: texts.html('guideAnswers') }, answers(call, values))}`
}
