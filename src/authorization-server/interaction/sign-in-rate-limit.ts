import { createRateLimit } from '../../async/rate-limit.ts'
import type { Store } from '../../store/contract.ts'

/** The option `maxSignInAttempts`. Higher limits would let a program guess passwords. */
export const SIGN_IN_ATTEMPTS = { byDefault: 10, max: 100 }

/** One address may make ten times as many attempts as one identifier, because many people may share an address. */
const TIMES_PER_ADDRESS = 10

/**
 * Limits the attempts to sign in within 15 minutes of the first attempt. Attempts are counted for each interaction,
 * for each identifier from one address, and for each address, in all processes together. `now` is in epoch seconds.
 */
export function createSignInRateLimit(parts: {
  readonly store: Pick<Store, 'count' | 'delete'>
  readonly max: number
  readonly now: () => number
}) {
  const { store, max, now } = parts
  const limit = createRateLimit({ windowSeconds: 900, now, shared: { name: 'sign-in', store } })
  const ofKey = (key: string) => ({ key: `key ${key}`, max })
  const ofAddress = (address: string) => ({ key: `address ${address}`, max: TIMES_PER_ADDRESS * max })

  return {
    /** Counts an attempt before it is made, or returns the seconds to wait: no two may pass the limit at once. */
    consume: ({ keys, address }: { readonly keys: readonly string[]; readonly address: string }): number =>
      limit.take([...keys.map(ofKey), ofAddress(address)]),
    succeeded(key: string, address: string): void {
      limit.reset(ofKey(key))
      // A person with a right password must not reset the count of what was guessed from the same address.
      limit.subtract(ofAddress(address))
    },
  }
}

export type SignInRateLimit = ReturnType<typeof createSignInRateLimit>
