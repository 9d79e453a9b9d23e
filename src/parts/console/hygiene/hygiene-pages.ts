import { renewalDays, type Finding } from '../../../clients/hygiene-findings.ts'
import type { ClientFindings, HygienePage } from '../../../clients/hygiene.ts'
import { listOwnFindings } from '../../front-door/own-findings.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName } from '../../../http/pages/display-text.ts'
import { PAGES_OF_KIND, pathOf } from '../clients/client-kind.ts'
import { useFacts } from '../clients/client-use.ts'
import { productTitle } from '../clients/no-token-state.ts'
import { columns, heading, panel, table } from '../elements/elements.ts'
import { pager } from '../elements/pager.ts'
import { clientPath, holderLink, operatorPage, operatorView } from '../operator/operator-page.ts'
import { page, type Action, type Call, type Page, type Redirect } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import {
  cursorOf,
  findingSentence,
  fixForm,
  fixOf,
  FIXES,
  QUESTIONS,
  renewalOf,
  rightOf,
} from './finding-row.ts'
import { clientNotFound } from '../../../clients/client-id.ts'
import { requireAccess } from '../../front-door/access.ts'
import { Rejection } from '../../front-door/rejection.ts'
import { runAction } from '../../front-door/run-client-action.ts'

/** The maximum number of clients on a page. A client can have several rows, and each row has a form. */
const CLIENTS_PER_PAGE = 15

const OWN_PATH = '/hygiene'
const OPERATOR_PATH = '/operator/hygiene'

/** The pages that list what needs attention: one for owners, and one for operators. */
export function hygienePages(services: ConsoleServices): Page[] {
  return [ownPage(services), ofOperators(services)]
}

function ownPage(services: ConsoleServices): Page {
  return page({
    path: OWN_PATH,
    section: 'overview',
    access: 'signed-in',
    actions: fixActions(services, OWN_PATH, false),
    async show(call) {
      const { texts } = call
      const found = await listOwnFindings(services.hygiene, call, {
        limit: CLIENTS_PER_PAGE,
        cursor: cursorOf(call),
      })
      const { keyPolicy } = services
      return {
        title: texts.plain('hygieneTitle'),
        body: html`${heading(texts.html('hygieneTitle'), texts.html('hygieneIntro'))}
        ${services.usage && html`<p><a href="${call.to('/hygiene/operations')}">${texts.html('uncalledLink')}</a></p>`}
        ${await findings(call, services, found, {
          path: OWN_PATH,
          async fixOf(finding, each) {
            const fix = fixOf(finding, each, 'owner')
            const isAllowed = await call.may(rightOf(fix, each.client, keyPolicy), each.client)
            return isAllowed ? fixForm(call, finding, fix, each, services) : undefined
          },
        })}`,
      }
    },
  })
}

function ofOperators(services: ConsoleServices): Page {
  return operatorPage({
    path: OPERATOR_PATH,
    actions: fixActions(services, OPERATOR_PATH, true),
    async show(call) {
      const { texts, to, query } = call
      const found = await services.hygiene.list({ limit: CLIENTS_PER_PAGE, cursor: cursorOf(call) })
      const products = query['products'] === undefined ? undefined : await services.hygiene.unusedProducts()
      return operatorView(
        { title: texts.plain('hygieneTitle') },
        html`<p class="muted">${texts.html('hygieneIntro')}</p>
          ${await findings(call, services, found, {
            path: OPERATOR_PATH,
            isForOperators: true,
            fixOf(finding, each) {
              const fix = fixOf(finding, each, 'operator')
              return fix === 'rotate'
                ? html`<a href="${to(clientPath(each.client.clientId))}">${texts.html('fixAskOwner')}</a>`
                : fixForm(call, finding, fix, each, services)
            },
          })}
          ${unusedProducts(call, services, products)}`,
      )
    },
  })
}

interface ListOptions {
  readonly path: string
  readonly isForOperators?: boolean
  readonly fixOf: (finding: Finding, found: ClientFindings) => Html | undefined | Promise<Html | undefined>
}

async function findings(
  call: Call,
  services: ConsoleServices,
  { items, cursor }: HygienePage,
  { path, isForOperators = false, fixOf }: ListOptions,
): Promise<Html> {
  const { texts } = call
  const names = ['nameLabel', ...(isForOperators ? (['accountLabel'] as const) : [])] as const
  const rowsOf = items.flatMap((each) =>
    each.findings.map(async (finding) => [
      clientLink(call, each, isForOperators),
      ...(isForOperators ? [holderLink(call, { accountId: each.client.accountId })] : []),
      findingSentence(call, finding, each, services.keyPolicy),
      await fixOf(finding, each),
    ]),
  )
  const rows = await Promise.all(rowsOf)
  const nothing = cursor === undefined ? 'hygieneNothing' : 'hygieneNothingHere'
  return html`<section class="panel ${rows.length === 0 && 'empty'}">
    ${
      rows.length === 0
        ? html`<p>${texts.html(nothing)}</p>`
        : table(columns(call, [...names, 'hygieneFinding', 'hygieneFix']), rows)
    }
    ${pager(call, path, cursor)}
  </section>`
}

function clientLink({ texts, to, has }: Call, { client }: ClientFindings, isForOperators: boolean): Html {
  const own = PAGES_OF_KIND[client.kind]
  const ownPath = has(own.section) ? pathOf(own, client) : undefined
  const path = isForOperators ? clientPath(client.clientId) : ownPath
  const name = html`<bdi>${applicationName(client)}</bdi>`
  const kind = texts.html(client.kind === 'apiKey' ? 'activityApiKey' : 'applicationLabel')
  return html`<div class="tight">
    ${path === undefined ? name : html`<a href="${to(path)}">${name}</a>`} <span class="muted">${kind}</span>
  </div>`
}

/** The products that no client has. The search may take seconds, so it starts only when the operator asks for it. */
function unusedProducts({ texts, to }: Call, { catalog }: ConsoleServices, products?: readonly string[]) {
  const search = html`<a class="button slim" href="${to(OPERATOR_PATH, { products: 'show' })}#products"
    >${texts.html('hygieneProductsFind')}</a
  >`
  const list = (found: readonly string[]) =>
    found.length === 0
      ? html`<p>${texts.html('hygieneProductsAllUsed')}</p>`
      : html`<ul class="bullets">
            ${found.map((id) => html`<li>${productTitle({ texts }, catalog.current, id)} <code>${id}</code></li>`)}
          </ul>
          <p class="hint">${texts.html('hygieneProductsHint')}</p>`
  return panel(
    { title: texts.html('hygieneProducts'), id: 'products' },
    products === undefined ? html`<p>${search}</p>` : list(products),
  )
}

function fixActions(services: ConsoleServices, path: string, isOperator: boolean) {
  /** By the link to the question, or by the form. */
  async function requireFound(call: Call) {
    const { query, form: sent } = call
    const fix = query['fix'] ?? sent.get('fix')
    const clientId = query['clientId'] ?? sent.get('clientId') ?? ''
    if (fix !== 'expire' && fix !== 'disable' && fix !== 'revoke-old') throw new Rejection('body')
    const found = await services.hygiene.ofClient(clientId, isOperator ? undefined : call.caller.accountId)
    if (!found) throw clientNotFound(clientId)
    const right = rightOf(fix, found.client, services.keyPolicy)
    if (!isOperator) await requireAccess(call, right, found.client)
    return { fix, found, client: found.client } as const
  }

  const fix: Action = {
    access: isOperator ? 'operator' : 'signed-in',
    async confirm(call) {
      const { fix, client } = await requireFound(call)
      const values = { name: applicationName(client), days: renewalDays(services.keyPolicy) }
      return { ...QUESTIONS[fix], use: await useFacts(call, services, client), values }
    },
    async run(call) {
      const { fix, found, client } = await requireFound(call)
      const finding = found.findings.find((each) => each === call.form.get('finding'))
      const back: Redirect = { redirect: path, query: { cursor: cursorOf(call) } }
      // The finding may be gone: another person has fixed it, or a program has used the client.
      if (finding === undefined || fixOf(finding, found, isOperator ? 'operator' : 'owner') !== fix)
        return back
      const input = { changes: renewalOf(client, services.keyPolicy) }
      await runAction<unknown>(FIXES[fix], client, { ...call, parts: services, input })
      return { ...back, done: fix === 'expire' ? 'doneExpirySaved' : FIXES[fix].owner.texts.done }
    },
  }
  return { fix }
}
