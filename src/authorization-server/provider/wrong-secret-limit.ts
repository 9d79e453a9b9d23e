import type { Context } from 'koa'
import { addressGroup } from '../../http/rate-limit-group.ts'
import type { Store } from '../../store/contract.ts'
import { createSharedAttempts } from '../../store/shared-attempts.ts'

/** Wrong secrets a minute for one client id from one address. Further ones get 429. */
const MAX_OF_CLIENT = 10
/** Wrong secrets a minute from one address, for any client. */
const MAX_OF_ADDRESS = 100
const WINDOW_SECONDS = 60

/** What follows from a wrong secret. */
export interface WrongSecret {
  /** Seconds after which the caller may try again; 0 if it is within the bounds. */
  readonly waitSeconds: number
  /** Whether the caller has just passed the bounds. */
  readonly isFirst: boolean
}

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
  const common = { windowSeconds: WINDOW_SECONDS, now }
  const ofClient = createSharedAttempts(store, { name: 'wrong-secret', max: MAX_OF_CLIENT, ...common })
  const ofAddress = createSharedAttempts(store, { name: 'wrong-secrets', max: MAX_OF_ADDRESS, ...common })

  return {
    /** @param clientId as it was sent, so that strangers cannot find out which clients exist; undefined without an id */
    add(clientId: string | undefined, { ip }: Pick<Context, 'ip'>): WrongSecret {
      const address = addressGroup(ip)
      const counts = [
        ofAddress(address),
        ...(clientId === undefined ? [] : [ofClient(`${clientId} ${address}`)]),
      ]
      const waitSeconds = Math.max(...counts.map((each) => each.waitSeconds()))
      if (waitSeconds > 0) return { waitSeconds, isFirst: false }
      for (const each of counts) each.add()
      return { waitSeconds: 0, isFirst: counts.some((each) => each.waitSeconds() > 0) }
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
