import { isGatewayKey, type Client } from '../../../clients/client.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName } from '../../../http/pages/display-text.ts'
import { badge, facts } from '../elements/elements.ts'
import type { Texts } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import { lastUsed } from './no-token-state.ts'

const DAY_SECONDS = 86_400

/** Whether programs have used a client today, and its API calls today if the host counts usage. */
export async function findUse({ usage }: ConsoleServices, { clientId, lastUsedAt = 0 }: Client) {
  const now = Math.floor(Date.now() / 1000)
  const rows = await usage?.list({ clientId, from: now - (now % DAY_SECONDS), to: now, by: ['kind'] })
  const calls = rows?.filter(({ kind }) => kind === 'call').reduce((sum, { count }) => sum + count, 0)
  return { calls, isInUse: now - lastUsedAt < DAY_SECONDS || (calls ?? 0) > 0 }
}

/** The name of a client and its use: on every page that asks before something of the client stops. */
export async function useFacts({ texts }: Texts, services: ConsoleServices, client: Client): Promise<Html> {
  const { isInUse, calls } = await findUse(services, client)
  const content = facts([
    [texts.html('nameLabel'), html`<bdi>${applicationName(client)}</bdi>`],
    [
      texts.html(isGatewayKey(client) ? 'gatewaySeen' : 'operatorLastUsed'),
      html`${lastUsed({ texts }, client)} ${isInUse && badge(texts.html('clientsInUse'), 'warn')}`,
    ],
    [texts.html('clientsCallsToday'), calls !== undefined && texts.number(calls)],
  ])
  return html`<div class="panel">${content}</div>`
}
