import { Rejection } from '../../front-door/rejection.ts'
import { html, type Html } from '../../../http/html.ts'
import type { Usage } from '../../usage/usage-types.ts'
import { heading, panel } from '../elements/elements.ts'
import { operatorPage, operatorView } from '../operator/operator-page.ts'
import { page, type Page, type Texts } from '../page-types.ts'
import { scopeTitle } from '../scope-title.ts'
import type { ConsoleServices } from '../services.ts'
import { UNCALLED_DAYS, uncalledOperationsPage } from './uncalled-operations-page.ts'
import { usageView } from './usage-view.ts'

/** The pages about usage; none if the host counts no usage. */
export function usagePages(services: ConsoleServices): Page[] {
  const { usage } = services
  if (!usage) return []
  return [ownUsagePage, uncalledOperationsPage, operatorUsagePage].map((pageOf) => pageOf(services, usage))
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
    path: '/operator/usage',
    async show(call) {
      const { texts } = call
      const [view, uncalled] = await Promise.all([
        usageView(call, services, usage, {}),
        usage.uncalledOperations({ days: UNCALLED_DAYS }),
      ])
      if (!view) return undefined
      return operatorView(
        { title: texts.plain('usageTitle') },
        html`<p class="muted">${texts.html('usageIntroAll')}</p>
          ${view} ${panel({ title: texts.html('uncalledTitle') }, uncalledList(call, services, uncalled))}`,
      )
    },
  })
}

function uncalledList({ texts }: Texts, { catalog }: ConsoleServices, scopes?: readonly string[]): Html {
  if (!scopes) return html`<p class="muted">${texts.html('uncalledTooEarly', { days: UNCALLED_DAYS })}</p>`
  if (scopes.length === 0) return html`<p>${texts.html('uncalledNone')}</p>`
  return html`<ul class="bullets">
    ${scopes.map((scope) => html`<li>${scopeTitle(scope, texts, catalog.current)} <code>${scope}</code></li>`)}
  </ul>`
}
