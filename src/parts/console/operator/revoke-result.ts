import type { ConsoleServices } from '../services.ts'
import type { RevokedAccess } from '../../../access/revoke-account.ts'
import type { GatehouseError } from '../../../errors.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName } from '../../../http/pages/display-text.ts'
import { notice, panel } from '../elements/elements.ts'
import { ROWS_PER_PAGE } from '../elements/pager.ts'
import type { Call, View } from '../page-types.ts'
import { clientPath, holderPath, operatorView, type Holder } from './operator-page.ts'
import type { Client } from '../../../clients/client.ts'
import { whyNotAuthenticated } from '../../../clients/why-no-token.ts'
import { clientPagesOf } from './holdings.ts'

export interface RevokeOutcome {
  readonly holder: Holder
  /** Undefined if there are corrupt records. Everything else was revoked then. */
  readonly revoked: RevokedAccess | undefined
  readonly ended: number
  readonly errors: readonly GatehouseError[]
}

/** The page after the revocation: what was revoked, and what can still get tokens. */
export async function revokeResult(
  services: ConsoleServices,
  call: Call,
  { holder, revoked, ended, errors }: RevokeOutcome,
): Promise<View> {
  const { texts, to } = call
  const { clients = 0, grants = 0 } = revoked ?? {}
  const isComplete = errors.length === 0
  const isNothing = clients === 0 && grants === 0
  const lines = [
    clients > 0 && texts.html('operatorRevokedClients', { count: clients }),
    grants > 0 && texts.html('operatorRevokedGrants', { count: grants }),
    ended > 0 && texts.html('operatorEndedSecrets', { count: ended }),
  ].filter(Boolean)
  const done =
    (isComplete || lines.length > 0) &&
    notice(
      'good',
      html`${isComplete && isNothing && html`<p><strong>${texts.html('operatorRevokedNothing')}</strong></p>`}
      ${lines.map((line) => html`<p>${line}</p>`)}`,
    )
  const problems =
    !isComplete &&
    notice('warn', html`${errors.map(({ message }) => html`<p lang="en" dir="ltr">${message}</p>`)}`)
  const title = texts.plain(isComplete ? 'operatorRevokedTitle' : 'operatorPartly')
  return operatorView(
    call,
    { title },
    html`${problems} ${done}
      ${panel(
        { title: texts.html('operatorStillTitle') },
        html`${await stillUsable(services, call, holder)}
          <p class="muted">${texts.html('operatorRevokeSession')}</p>`,
      )}
      <p><a href="${to(holderPath(holder))}">${texts.html('operatorBack')}</a></p>`,
  )
}

async function stillUsable(services: ConsoleServices, call: Call, holder: Holder): Promise<Html> {
  const { texts, to } = call
  const { items, hasMore } = await usableClients(services, holder)
  if (items.length === 0) return html`<p>${texts.html('operatorStillNone')}</p>`
  return html`<p>${texts.html('operatorStillText')}</p>
    <ul class="points">
      ${items.map(
        (client) =>
          html`<li>
            <a href="${to(clientPath(client.clientId))}"><bdi>${applicationName(client)}</bdi></a>
            <span class="muted small"
              >${texts.html(client.kind === 'apiKey' ? 'activityApiKey' : 'applicationLabel')}</span
            >
          </li>`,
      )}
    </ul>
    ${hasMore && html`<p class="muted">${texts.html('operatorStillMore', { count: ROWS_PER_PAGE })}</p>`}`
}

/** The clients of the holder that are enabled and have a valid secret. */
async function usableClients(
  { apiKeys, applications }: ConsoleServices,
  holder: Holder,
): Promise<{ readonly items: readonly Client[]; readonly hasMore: boolean }> {
  const found: Client[] = []
  for (const service of [apiKeys, applications]) {
    for await (const clients of clientPagesOf(service, holder)) {
      found.push(...clients.filter((client) => whyNotAuthenticated(client) === undefined))
      if (found.length > ROWS_PER_PAGE) return { items: found.slice(0, ROWS_PER_PAGE), hasMore: true }
    }
  }
  return { items: found, hasMore: false }
}
