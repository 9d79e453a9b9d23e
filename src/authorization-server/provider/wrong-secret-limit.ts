import type { Context } from 'koa'
import { createRateLimit } from '../../async/rate-limit.ts'
import { addressGroup } from '../../http/rate-limit-group.ts'
import type { Store } from '../../store/contract.ts'

/** Wrong secrets a minute from one address: for one client id, and for all ids together. Further ones get 429. */
const MAX = { ofClient: 10, ofAddress: 100 }

/**
 * Limits requests with wrong client secrets. A secret is verified before, and a right one always passes: nothing that a
 * stranger does delays the owner, also behind the same address.
 */
export function createWrongSecretLimit({
  store,
  now = () => Math.floor(Date.now() / 1000),
}: {
  readonly store: Pick<Store, 'count' | 'delete'>
  readonly now?: () => number
}) {
  const limit = createRateLimit({ windowSeconds: 60, now, shared: { name: 'wrong-secret', store } })

  return {
    /**
     * @param clientId as it was sent, so that strangers cannot find out which clients exist; undefined without an id
     * @returns the seconds after which the caller may try again, 0 if it is within the bounds; and whether the caller
     *   has just passed the bounds
     */
    add(clientId: string | undefined, { ip }: Pick<Context, 'ip'>) {
      const address = addressGroup(ip)
      const bounds = [{ key: `address ${address}`, max: MAX.ofAddress }]
      if (clientId !== undefined) {
        bounds.push({ key: JSON.stringify([clientId, address]), max: MAX.ofClient })
      }
      const waitSeconds = limit.take(bounds)
      return { waitSeconds, isFirst: waitSeconds === 0 && limit.waitSeconds(bounds) > 0 }
    },
  }
}

/** Limits requests with wrong client secrets. */
export type WrongSecretLimit = ReturnType<typeof createWrongSecretLimit>

/** The error of a request with a wrong secret beyond the bounds. */
export const TOO_MANY_WRONG_SECRETS = {
  error: 'invalid_client',
  error_description:
    'too many requests with wrong secrets; try again after Retry-After, with the right secret',
}
