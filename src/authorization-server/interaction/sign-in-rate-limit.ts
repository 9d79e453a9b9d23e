import type { Store } from '../../store/contract.ts'
import { createSharedAttempts } from '../../store/shared-attempts.ts'

/** The option `maxSignInAttempts`. Higher limits would let a program guess passwords. */
export const SIGN_IN_ATTEMPTS = { byDefault: 10, max: 100 }

/** One address may make ten times as many attempts as one identifier, because many people may share an address. */
const TIMES_PER_ADDRESS = 10

/** Seconds from the first attempt until the count of attempts is reset. */
const WINDOW_SECONDS = 900

/** The keys and the address for which an attempt to sign in is counted. */
export interface SignInAttempt {
  /** Two keys: the interaction, and the identifier together with the address. Each key admits `max` attempts. */
  readonly keys: readonly string[]
  /** The network address alone, for any identifier. It admits ten times `max` failed attempts. */
  readonly address: string
}

/**
 * Limits the attempts to sign in within 15 minutes of the first attempt. Attempts are counted for each interaction, for
 * each identifier from one address, and for each address, in all processes together.
 *
 * @param options.store counts for all processes
 * @param options.max the attempts per window for each key; an address may make ten times as many
 * @param options.now returns the time in epoch seconds
 */
export function createSignInRateLimit({
  store,
  max,
  now,
}: {
  readonly store: Pick<Store, 'count' | 'delete'>
  readonly max: number
  readonly now: () => number
}) {
  const common = { windowSeconds: WINDOW_SECONDS, now }
  const byKey = createSharedAttempts(store, { name: 'sign-in', max, ...common })
  const byAddress = createSharedAttempts(store, {
    name: 'sign-in-address',
    max: TIMES_PER_ADDRESS * max,
    ...common,
  })

  return {
    /**
     * Counts one attempt. Call this before the attempt, so that simultaneous attempts cannot exceed the limit.
     *
     * @returns 0 if the attempt is allowed. Otherwise the seconds to wait; a rejected attempt is not counted
     */
    consume({ keys, address }: SignInAttempt): number {
      const counts = [...keys.map(byKey), byAddress(address)]
      const waitSeconds = Math.max(...counts.map((each) => each.waitSeconds()))
      if (waitSeconds === 0) for (const each of counts) each.add()
      return waitSeconds
    },
    /** Resets the count of `key` after a successful attempt. The count of the address is only reduced by one. */
    succeeded(key: string, address: string): void {
      byKey(key).reset()
      byAddress(address).subtract()
    },
  }
}

/** Limits the sign-in attempts, so that passwords cannot be guessed on the sign-in page. */
export type SignInRateLimit = ReturnType<typeof createSignInRateLimit>
