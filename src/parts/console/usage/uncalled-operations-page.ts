import type { ApiKey } from '../../../clients/client.ts'
import { directScopes } from '../../../catalog/resolve-scopes.ts'
import { whyNotAuthenticated } from '../../../clients/why-no-token.ts'
import { requireAccess } from '../../front-door/access.ts'
import { CLIENT_ACTIONS } from '../../front-door/client-actions.ts'
import { runAction } from '../../front-door/run-client-action.ts'
import { html } from '../../../http/html.ts'
import { applicationName } from '../../../http/pages/display-text.ts'
import type { Usage } from '../../usage/usage-types.ts'
import { columns, heading, table } from '../elements/elements.ts'
import { form, hidden } from '../elements/form.ts'
import { pager } from '../elements/pager.ts'
import { page, type Call, type Page } from '../page-types.ts'
import { scopeTitle } from '../scope-title.ts'
import type { ConsoleServices } from '../services.ts'

const PATH = '/hygiene/operations'
export const UNCALLED_DAYS = 90
const KEYS_PER_PAGE = 15

/** The operations of the account's API keys that were not called for a while, with a button that removes them. */
export function uncalledOperationsPage(services: ConsoleServices, usage: Usage): Page {
  const { apiKeys, catalog } = services

  /** Empty for keys that are too young, or get no tokens. */
  async function uncalledOf(key: ApiKey): Promise<readonly string[]> {
    const isYoung = key.createdAt > Date.now() / 1000 - UNCALLED_DAYS * 86_400
    if (isYoung || key.resourceServer || whyNotAuthenticated(key)) return []
    const uncalled = await usage.uncalledOperations({ clientId: key.clientId, days: UNCALLED_DAYS })
    const own = new Set(directScopes(catalog.current, key))
    return (uncalled ?? []).filter((scope) => own.has(scope))
  }

  function rowOf(call: Call, key: ApiKey, scopes: readonly string[], mayWrite: boolean) {
    const { texts, to } = call
    const { clientId } = key
    const titles = scopes.map((scope) => html`<li>${scopeTitle(scope, texts, catalog.current)}</li>`)
    return [
      html`<a href="${to(`/api-keys/${encodeURIComponent(clientId)}`)}"
        ><bdi>${applicationName(key)}</bdi></a
      >`,
      html`<ul class="plain-list">
        ${titles}
      </ul>`,
      mayWrite &&
        form(
          call,
          { action: 'removeOperations' },
          html`${hidden('clientId', clientId)} ${scopes.map((scope) => hidden('scope', scope))}
            <div class="tight">
              <p class="hint">${texts.html('uncalledHint')}</p>
              <div>
                <button class="slim">${texts.html('uncalledRemove', { count: scopes.length })}</button>
              </div>
            </div>`,
        ),
    ]
  }

  return page({
    path: PATH,
    section: 'overview',
    access: 'keys:read',
    async show(call) {
      const { texts, caller, query } = call
      const [{ items, cursor }, known, mayWrite] = await Promise.all([
        apiKeys.listByOwner(caller.accountId, { limit: KEYS_PER_PAGE, cursor: query['cursor'] }),
        usage.uncalledOperations({ days: UNCALLED_DAYS }),
        call.may('keys:write'),
      ])
      const found = await Promise.all(items.map(async (key) => ({ key, scopes: await uncalledOf(key) })))
      const rows = found.filter(({ scopes }) => scopes.length > 0)
      const nothing = known ? 'uncalledNone' : 'uncalledTooEarly'
      return {
        title: texts.plain('uncalledTitle'),
        body: html`${heading(texts.html('uncalledTitle'), texts.html('uncalledIntro', { days: UNCALLED_DAYS }))}
          <section class="panel ${rows.length === 0 && 'empty'}">
            ${
              rows.length === 0
                ? html`<p>${texts.html(nothing, { days: UNCALLED_DAYS })}</p>`
                : table(
                    columns(call, ['nameLabel', 'operationsLabel', 'hygieneFix']),
                    rows.map(({ key, scopes }) => rowOf(call, key, scopes, mayWrite)),
                  )
            }
            ${pager(call, PATH, cursor)}
          </section>`,
      }
    },
    actions: {
      removeOperations: {
        access: 'keys:write',
        async run(call) {
          const clientId = call.form.get('clientId') ?? ''
          const key = await apiKeys.findOwn(call.caller.accountId, clientId)
          await requireAccess(call, 'keys:write', key)
          // Only what was shown, and only if it was not called meanwhile.
          const shown = new Set(call.form.getAll('scope'))
          const scopes = (await uncalledOf(key)).filter((scope) => shown.has(scope))
          for (const scope of scopes)
            await runAction(CLIENT_ACTIONS.removeOperation, key, {
              ...call,
              parts: services,
              input: { scope },
            })
          return { redirect: PATH, query: { cursor: call.query['cursor'] }, done: 'doneOperationsRemoved' }
        },
      },
    },
  })
}
