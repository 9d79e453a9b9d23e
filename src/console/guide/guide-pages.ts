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
import { facts, notice, panel } from '../elements/elements.ts'
import { page, type Call, type Page } from '../page.ts'
import { guideValues, type GuideValues } from './guide-values.ts'
import { terminalSteps } from './terminal-steps.ts'
import { valueFacts } from './value-facts.ts'

/** The page of our documents with complete programs. */
const PROGRAMS = 'https://github.com/koa-gatehouse/koa-gatehouse/blob/main/docs/client-programs.md'

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
  ${panel({ title: texts.html('guideProgram') }, programs(call, values))}
  ${panel({ title: texts.html('guideAnswers') }, answers(call, values))}`
}

/** Where the reader finds complete programs. */
function programs({ texts }: Pick<Call, 'texts'>, { kind }: GuideValues): Html {
  const address = PROGRAMS + (kind === 'apiKey' ? '#an-api-key' : '#an-application')
  return html`<p>${texts.html('guideProgramHint')}</p>
    <p><a href="${address}" rel="noreferrer">${texts.html('guideProgramLink')}</a></p>`
}

/** What each error means, and what the program does then. */
function answers({ texts }: Pick<Call, 'texts'>, { kind }: GuideValues): Html {
  const isKey = kind === 'apiKey'
  return facts([
    [texts.html('guideAnswerApi401'), texts.html(isKey ? 'guideAnswerKey401' : 'guideAnswerApp401')],
    [texts.html('guideAnswerApi403'), texts.html(isKey ? 'guideAnswerKey403' : 'guideAnswerApp403')],
    [texts.html('guideAnswerClient401'), texts.html('guideAnswerClient401Hint')],
    [texts.html('guideAnswerGrant'), !isKey && texts.html('guideAnswerGrantHint')],
    [texts.html('guideAnswer503'), texts.html('guideAnswer503Hint')],
  ])
}
