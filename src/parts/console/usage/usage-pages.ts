import type { Client } from '../../../clients/client.ts'
import { findClients } from '../../front-door/clients-named-in-list.ts'
import { Rejection } from '../../front-door/rejection.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName, unknownClientName } from '../../../http/pages/display-text.ts'
import type { Usage } from '../../usage/usage-types.ts'
import { apiKeyKind, applicationKind, ownClient, trail, type ClientKind } from '../clients/client-kind.ts'
import { heading, panel } from '../elements/elements.ts'
import { clientHref } from '../operator/client-href.ts'
import { operatorPage, operatorView, USAGE_PATH } from '../operator/operator-page.ts'
import { page, type Call, type Page } from '../page-types.ts'
import { scopeTitle } from '../scope-title.ts'
import type { ConsoleServices } from '../services.ts'
import { UNCALLED_DAYS, uncalledOperationsPage } from './uncalled-operations-page.ts'
import { usageView } from './usage-view.ts'

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
      const view = await usageView(call, services, usage, { clientId: client.clientId })
      if (!view) return undefined
      return {
        title: `${texts.plain('usageTitle')} · ${name}`,
        trail: trail(call, kind, client),
        body: html`${heading(texts.html('usageTitle'), texts.html('usageIntro', { name }))} ${view}`,
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
      for (const needs of ['keys:read', 'applications:read'] as const) {
        if (!(await call.may(needs))) throw new Rejection('forbidden', { needs })
      }
      const view = await usageView(call, services, usage, { accountId: caller.accountId })
      if (!view) return undefined
      return {
        title: texts.plain('usageTitle'),
        body: html`${heading(texts.html('usageTitle'), texts.html('usageIntroAccount'))} ${view}
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
      const [view, uncalled] = await Promise.all([
        usageView(call, services, usage, {}),
        usage.uncalledOperations({ days: UNCALLED_DAYS }),
      ])
      if (!view) return undefined
      return operatorView(
        call,
        { title: texts.plain('usageTitle'), path: USAGE_PATH },
        html`<p class="muted">${texts.html('usageIntroAll')}</p>
          ${view} ${panel({ title: texts.html('uncalledTitle') }, uncalledList(call, services, uncalled))}`,
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
      const view = await usageView(call, services, usage, { clientId: resource.clientId })
      if (!view) return undefined
      return operatorView(
        call,
        { title: `${texts.plain('usageTitle')} · ${name}` },
        html`<p class="muted">${texts.html('usageIntro', { name })}</p>
          ${back !== undefined && html`<p><a href="${back}">${texts.html('usageBack')}</a></p>`} ${view}`,
      )
    },
  })
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
