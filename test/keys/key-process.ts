import { auditOf } from '../audit/setup.ts'
import { SignJWT, decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import type { Store } from 'koa-gatehouse'
import { createEvents } from '../../src/host/events.ts'
import type { Logger } from '../../src/host/logger.ts'
import { createRotatingKeys } from '../../src/keys/rotating-keys.ts'
import { createEncryption } from '../../src/keys/encryption.ts'
import { createLogMarks } from '../../src/revocation/log-marks.ts'
import { commitsOf } from '../support/commits.ts'

export const SECRET = 'the secret of today, which is long enough'
export const DAY = 86_400

/** Creates the rotating keys of one process on a store, and records their events and revocations. */
export function keyProcess(
  store: Store,
  options: {
    secrets?: readonly string[]
    logger?: Logger
    /** Called before each revocation of a key. If the function rejects, revoking the key fails. */
    revokeKey?: () => Promise<void>
    /** Returns whether the process knows the revocation of a key. @default no revocation is known */
    isKeyRevoked?: (kid: string) => boolean
    /** Milliseconds after which the process completes the pending work of another process. */
    takeOverAfterMs?: number
  } = {},
) {
  const emitted: string[] = []
  const revoked: { kid: string; until: number; actor?: string }[] = []
  const events = createEvents(() => {})
  for (const name of ['key.published', 'key.activated', 'key.retired', 'key.revoked'] as const) {
    events.on(name, ({ kid, alg, actor }) =>
      emitted.push([name.slice(4), alg, kid, actor].filter(Boolean).join(' ')),
    )
  }
  const audit = auditOf(store)
  const keys = createRotatingKeys({
    store,
    encryption: createEncryption(options.secrets ?? [SECRET], 'signing-keys'),
    marks: createLogMarks(store),
    schedule: { rotateAfterSeconds: 90 * DAY, publishAheadSeconds: DAY },
    longestLifetimes: {
      ES256: { seconds: async () => 10 * DAY },
      RS256: { seconds: async () => 14 * DAY },
    },
    async revokeKey(kid, until, actor) {
      await options.revokeKey?.()
      revoked.push({ kid, until, ...(actor !== undefined && { actor }) })
    },
    isKeyRevoked: (kid) => options.isKeyRevoked?.(kid) ?? false,
    events,
    commits: commitsOf(store, { audit }),
    audit,
    logger: options.logger ?? { debug() {}, info() {}, warn() {}, error() {} },
    takeOverAfterMs: options.takeOverAfterMs ?? 3_600_000,
  })

  return {
    keys,
    audit,
    emitted,
    revoked,
    published: () => keys.ring.published.keys.map(({ kid }) => String(kid)),
    /** Returns the id of the key that signs. */
    signing: (alg: 'ES256' | 'RS256' = 'ES256') =>
      String(keys.ring.signing.find((key) => key.alg === alg)?.kid),
    async sign(): Promise<string> {
      const key = keys.ring.signing.find(({ alg }) => alg === 'ES256')!
      return new SignJWT({})
        .setProtectedHeader({ alg: 'ES256', kid: key.kid })
        .sign(await importJWK(key, 'ES256'))
    },
    /** Verifies a token. Returns the id of its key. Throws if the process does not know the key. */
    async verify(token: string): Promise<string> {
      await jwtVerify(token, keys.getKey)
      return String(decodeProtectedHeader(token).kid)
    },
    /** All keys, each as `current ES256 <kid>`. */
    list: async () => (await keys.list()).map(({ state, alg, kid }) => `${state} ${alg} ${kid}`),
  }
}
