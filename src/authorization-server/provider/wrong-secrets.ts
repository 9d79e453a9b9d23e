import type { Context } from 'koa'
import type { AuditWriter } from '../../audit/audit.ts'
import { requesterOf } from '../../audit/entry.ts'
import { createLru } from '../../async/lru.ts'
import { createRateLimit } from '../../async/rate-limit.ts'
import type { Client } from '../../clients/client.ts'
import type { EventSink } from '../../host/events.ts'
import { addressGroup } from '../../http/rate-limit-group.ts'
import type { Store } from '../../store/contract.ts'

/** Wrong secrets a minute from one address: for one client id, and for all ids together. Further ones get 429. */
const MAX = { ofClient: 10, ofAddress: 100 }

const MAX_BEYOND = 10_000

/**
 * Limits wrong client secrets by address: further ones get 429. A secret is verified before, and a right one always
 * passes: nothing that a stranger does delays the owner, also behind the same address.
 */
export function createWrongSecretLimit(store: Pick<Store, 'count' | 'delete'>) {
  const now = () => Math.floor(Date.now() / 1000)
  const limit = createRateLimit({ windowSeconds: 60, now, shared: { name: 'wrong-secret', store } })
  /** Addresses whose last wrong secret was beyond the bounds, until epoch seconds. */
  const beyondUntil = createLru<string, number>(MAX_BEYOND)

  return {
    /** Whether an address is beyond the bounds for some client id. Much cheaper than `add`. */
    isBeyond: (address: string) => (beyondUntil.get(address) ?? 0) > now(),
    /**
     * `clientId` as it was sent, so that strangers cannot find out which clients exist. `isFirst`: the caller has
     * just passed the bounds. Seconds are 0 within the bounds.
     */
    add(clientId: string | undefined, { ip }: Pick<Context, 'ip'>) {
      const address = addressGroup(ip)
      const bounds = [{ key: `address ${address}`, max: MAX.ofAddress }]
      if (clientId !== undefined) {
        bounds.push({ key: JSON.stringify([clientId, address]), max: MAX.ofClient })
      }
      const waitSeconds = limit.take(bounds)
      if (waitSeconds > 0) beyondUntil.set(address, now() + waitSeconds)
      return { waitSeconds, isFirst: waitSeconds === 0 && limit.waitSeconds(bounds) > 0 }
    },
  }
}

export type WrongSecretLimit = ReturnType<typeof createWrongSecretLimit>

export const TOO_MANY_WRONG_SECRETS = {
  error: 'invalid_client',
  error_description:
    'too many requests with wrong secrets; try again after Retry-After, with the right secret',
}

export interface Reporters {
  readonly audit: AuditWriter
  readonly events: EventSink
  readonly wrongSecrets: WrongSecretLimit
}

/**
 * Reports one request that could not be authenticated. Beyond the bounds, a burst is one event and one entry.
 * @param sent.isRight the client is disabled or has expired
 * @returns the seconds after which the caller may try again; 0 if it is within the bounds
 */
export function reportWrongSecret(
  { audit, events, wrongSecrets }: Reporters,
  ctx: Context,
  sent: {
    readonly sentClientId: string | undefined
    readonly client: Client | undefined
    readonly isRight?: boolean | undefined
  },
): number {
  const { client, isRight } = sent
  const failure = { ...(client && { clientId: client.clientId }), ...requesterOf(ctx) }
  audit.reject({
    name: isRight ? 'token.rejected' : 'client_authentication.failed',
    ...(isRight && client && { reason: client.disabled ? 'client-disabled' : 'client-expired' }),
    kind: client?.kind,
    // A client with a metadata document has no account.
    accountId: client?.accountId || undefined,
    ...failure,
  })
  if (isRight) return 0
  const { waitSeconds, isFirst } = wrongSecrets.add(sent.sentClientId, ctx)
  if (waitSeconds === 0) events.emit('client_authentication.failed', failure)
  if (isFirst) events.emit('client_authentication.limited', failure)
  return waitSeconds
}
