import type { Client } from '../../../clients/client.ts'
import { findClients } from '../../front-door/clients-named-in-list.ts'
import { Rejection } from '../../front-door/rejection.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName, unknownClientName } from '../../../http/pages/display-text.ts'
import type { ClientCalls, Usage } from '../../usage/usage-types.ts'
import {
  apiKeyKind,
  applicationKind,
  PAGES_OF_KIND,
  ownClient,
  pathOf,
  trail,
  type ClientKind,
} from '../clients/client-kind.ts'
import { columns, heading, panel, table } from '../elements/elements.ts'
import { isDocumentId } from '../../../validation/document-id.ts'
import { clientHref } from '../operator/client-href.ts'
import { clientPath, holderLink, operatorPage, operatorView, USAGE_PATH } from '../operator/operator-page.ts'
import { page, type Call, type Page } from '../page-types.ts'
import { scopeTitle } from '../scope-title.ts'
import type { ConsoleServices } from '../services.ts'
import { UNCALLED_DAYS, uncalledOperationsPage } from './uncalled-operations-page.ts'
import { usageView } from './usage-view.ts'

const TOP = 20

/** The pages about usage; none if the host counts no usage. */
export function usagePages(services: ConsoleServices): Page[] {
  const { usage } = services
  if (!usage) return []
  return [
    ownUsagePage(services, usage),
    uncalledOperationsPage(services, usage),
    ...[apiKeyKind(services), applicationKind(services)].map((kind) =>
      clientUsagePage(kind, services, usage),
    ),
    operatorUsagePage(services, usage),
    operatorClientUsagePage(services, usage),
  ]
}

function clientUsagePage(kind: ClientKind, services: ConsoleServices, usage: Usage): Page {
  return page<Client>({
    ...ownClient(kind, '/usage'),
    access: `${kind.permissions}:read`,
    async show(call) {
      const { texts, resource: client } = call
      const name = applicationName(client)
      return {
        title: `${texts.plain('usageTitle')} · ${name}`,
        trail: trail(call, kind, client),
        body: html`${heading(texts.html('usageTitle'), texts.html('usageIntro', { name }))}
        ${await usageView(call, services, usage, { clientId: client.clientId })}`,
      }
    },
  })
}

function ownUsagePage(services: ConsoleServices, usage: Usage): Page {
  return page({
    path: '/usage',
    section: 'usage',
    access: 'signed-in',
    async show(call) {
      const { texts, caller, to } = call
      const { accountId } = caller
      for (const needs of ['keys:read', 'applications:read'] as const) {
        if (!(await call.may(needs))) throw new Rejection('forbidden', { needs })
      }
      const [view, rows] = await Promise.all([
        usageView(call, services, usage, { accountId }),
        usage.list({ accountId, by: ['client'] }),
      ])
      const calls = rows.map(({ clientId = '', count }) => ({ clientId, calls: count }))
      const busiest = calls.toSorted((one, other) => other.calls - one.calls).slice(0, TOP)
      return {
        title: texts.plain('usageTitle'),
        body: html`${heading(texts.html('usageTitle'), texts.html('usageIntroAccount'))} ${view}
          ${panel({ title: texts.html('usageClients') }, await callsTable(call, services, busiest, 'owner'))}
          <p><a href="${to('/hygiene/operations')}">${texts.html('uncalledLink')}</a></p>`,
      }
    },
  })
}

function operatorUsagePage(services: ConsoleServices, usage: Usage): Page {
  return operatorPage({
    path: USAGE_PATH,
    async show(call) {
      const { texts } = call
      const [view, top, uncalled] = await Promise.all([
        usageView(call, services, usage, {}),
        usage.topClients({ limit: TOP }),
        usage.uncalledOperations({ days: UNCALLED_DAYS }),
      ])
      return operatorView(
        call,
        { title: texts.plain('usageTitle'), path: USAGE_PATH },
        html`<p class="muted">${texts.html('usageIntroAll')}</p>
          ${view}
          ${panel({ title: texts.html('usageTopClients') }, await callsTable(call, services, top, 'operator'))}
          ${panel({ title: texts.html('uncalledTitle') }, uncalledList(call, services, uncalled))}`,
      )
    },
  })
}

function operatorClientUsagePage(services: ConsoleServices, usage: Usage): Page {
  return operatorPage<Client | { readonly clientId: string }>({
    path: '/operator/clients/:clientId/usage',
    async find(_caller, { clientId = '' }) {
      // The usage of a deleted client stays until it expires.
      return (await findClients(services, [{ clientId }])).get(clientId) ?? { clientId }
    },
    async show(call) {
      const { texts, resource } = call
      const name = 'name' in resource ? applicationName(resource) : unknownClientName(resource.clientId)
      const back = clientHref(call, resource.clientId)
      return operatorView(
        call,
        { title: `${texts.plain('usageTitle')} · ${name}` },
        html`<p class="muted">${texts.html('usageIntro', { name })}</p>
          ${back !== undefined && html`<p><a href="${back}">${texts.html('usageBack')}</a></p>`}
          ${await usageView(call, services, usage, { clientId: resource.clientId })}`,
      )
    },
  })
}

async function callsTable(
  call: Pick<Call, 'texts' | 'to'>,
  services: ConsoleServices,
  calls: readonly ClientCalls[],
  reader: 'owner' | 'operator',
): Promise<Html> {
  const { texts, to } = call
  if (calls.length === 0) return html`<p class="muted">${texts.html('usageNone')}</p>`
  const clients = await findClients(services, calls)
  const isForOperators = reader === 'operator'
  const names = ['nameLabel', ...(isForOperators ? (['accountLabel'] as const) : []), 'usageCalls'] as const
  return table(
    columns(call, names),
    calls.map(({ clientId, calls: count }) => {
      const client = clients.get(clientId)
      const kind = PAGES_OF_KIND[client?.kind ?? 'apiKey']
      const path = isForOperators ? clientPath(clientId) : pathOf(kind, { clientId })
      const name = client
        ? html`<bdi>${applicationName(client)}</bdi>`
        : html`<code>${isDocumentId(clientId) ? unknownClientName(clientId) : clientId}</code>`
      return [
        html`<a href="${to(`${path}/usage`)}">${name}</a>`,
        ...(isForOperators
          ? [client && client.accountId !== '' && holderLink(call, { accountId: client.accountId })]
          : []),
        texts.number(count),
      ]
    }),
  )
}

function uncalledList(
  { texts }: Pick<Call, 'texts'>,
  { catalog }: ConsoleServices,
  scopes: readonly string[] | undefined,
): Html {
  if (!scopes) return html`<p class="muted">${texts.html('uncalledTooEarly', { days: UNCALLED_DAYS })}</p>`
  if (scopes.length === 0) return html`<p>${texts.html('uncalledNone')}</p>`
  return html`<ul>
    ${scopes.map((scope) => html`<li>${scopeTitle(scope, texts, catalog.current)} <code>${scope}</code></li>`)}
  </ul>`
}
