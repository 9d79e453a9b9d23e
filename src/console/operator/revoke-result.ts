import type { ConsoleServices } from '../services.ts'
import type { RevokedAccess } from '../../access/revoke-account.ts'
import type { GatehouseError } from '../../errors.ts'
import { html, type Html } from '../../http/html.ts'
import { applicationName } from '../../http/pages/display-text.ts'
import { notice, panel } from '../elements/elements.ts'
import type { Call, View } from '../page.ts'
import { isNotFound, type EndedSecrets } from './end-secrets.ts'
import { clientPath, holderPath, operatorView, type Holder } from './operator-page.ts'
import type { Client } from '../../clients/client.ts'
import { isCorruptRecord } from '../../store/corrupt-record.ts'
import { clientPagesOf } from './holdings.ts'

/** Clients that the result names. */
const LIMIT = 25

/** What was revoked, and what could not be. */
export interface RevokeOutcome {
  /** Undefined if there are corrupt records. Everything else was revoked then. */
  readonly revoked: RevokedAccess | undefined
  /** Undefined if the operator did not ask to end the secrets. */
  readonly ended: EndedSecrets | undefined
  readonly errors: readonly GatehouseError[]
}

/** The page after the revocation: what was revoked, and what can still get tokens. */
export async function revokeResult(
  services: ConsoleServices,
  call: Call,
  holder: Holder,
  { revoked, ended, errors }: RevokeOutcome,
): Promise<View> {
  const { texts, to } = call
  const { clients = 0, grants = 0 } = revoked ?? {}
  const isComplete = errors.length === 0
  const isNothing = clients === 0 && grants === 0
  const lines = [
    clients > 0 && texts.html('operatorRevokedClients', { count: clients }),
    grants > 0 && texts.html('operatorRevokedGrants', { count: grants }),
    ended && ended.clients > 0 && texts.html('operatorEndedSecrets', { count: ended.clients }),
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

/** What can still get tokens, with links to the pages on which an operator stops it. */
async function stillUsable(services: ConsoleServices, call: Call, holder: Holder): Promise<Html> {
  const { texts, to } = call
  const { items, hasMore } = await usableClients(services, holder, LIMIT)
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
    ${hasMore && html`<p class="muted">${texts.html('operatorStillMore', { count: LIMIT })}</p>`}`
}

/**
 * The first clients of an account or user that can get new tokens: they are enabled, and have a valid secret.
 *
 * @param limit the search ends as soon as more clients are found
 */
async function usableClients(
  services: ConsoleServices,
  holder: Holder,
  limit: number,
): Promise<{ readonly items: readonly Client[]; readonly hasMore: boolean }> {
  const found: Client[] = []
  for (const service of [services.apiKeys, services.applications]) {
    const hasSecret = async ({ clientId, disabled }: Client) =>
      !disabled && (await service.listSecrets(clientId).catch(none)).length > 0
    for await (const page of clientPagesOf(service, holder)) {
      const isUsable = await Promise.all(page.map(hasSecret))
      found.push(...page.filter((_, at) => isUsable[at]))
      if (found.length > limit) return { items: found.slice(0, limit), hasMore: true }
    }
  }
  return { items: found, hasMore: false }
}

/** A client that was deleted, or whose record is corrupt, gets no tokens. */
function none(error: unknown): [] {
  if (!isNotFound(error) && !isCorruptRecord(error)) throw error
  return []
}
