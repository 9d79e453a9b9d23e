import type { RevokedAccess } from '../../access/revoke-account.ts'
import type { GatehouseError } from '../../errors.ts'
import { html, type Html } from '../../http/html.ts'
import { applicationName } from '../../http/pages/display-text.ts'
import { notice, panel } from '../elements/elements.ts'
import type { Call, View } from '../page.ts'
import type { EndedSecrets } from './end-secrets.ts'
import { clientPath, holderPath, operatorView, type Holder, type OperatorServices } from './operator-page.ts'
import { usableClients } from './usable-clients.ts'

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
  services: OperatorServices,
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
async function stillUsable(services: OperatorServices, call: Call, holder: Holder): Promise<Html> {
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
              >${texts.html(client.kind === 'apiKey' ? 'activityApiKey' : 'activityApplication')}</span
            >
          </li>`,
      )}
    </ul>
    ${hasMore && html`<p class="muted">${texts.html('operatorStillMore', { count: LIMIT })}</p>`}`
}
