import { randomUUID } from 'node:crypto'
import { SignJWT, decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import type { Store } from 'koa-gatehouse'
import { createEvents } from '../../src/host/events.ts'
import type { Logger } from '../../src/host/logger.ts'
import { generateSigningKey, type SigningJwk } from '../../src/keys/generate-key.ts'
import { ALGORITHMS } from '../../src/keys/key-states.ts'
import type { OpenKey } from '../../src/keys/ring-record.ts'
import { createRotatingKeys } from '../../src/keys/rotating-keys.ts'
import { createKeySealing } from '../../src/keys/sealing.ts'

export const SECRET = 'the secret of today, which is long enough'
export const DAY = 86_400

let rsa: Promise<SigningJwk> | undefined

/** Keys that take no time: those for RS256 differ in their names only. */
export function quickKeys(algorithms = ALGORITHMS): Promise<OpenKey[]> {
  return Promise.all(
    algorithms.map(async (alg): Promise<OpenKey> => {
      rsa ??= generateSigningKey('RS256')
      const jwk = alg === 'RS256' ? { ...(await rsa), kid: randomUUID() } : await generateSigningKey(alg)
      return { kid: jwk.kid, alg, state: 'next', createdAt: 0, since: 0, jwk }
    }),
  )
}

/** The keys of one process on a store: what it tells, and what it takes back, is written down. */
export function keyProcess(
  store: Store,
  options: {
    secrets?: readonly string[]
    logger?: Logger
    /** Throws, where taking back does not work. */
    revokeKey?: () => Promise<void>
    /** Milliseconds before it makes a key that another process should have made. */
    patienceMs?: number
  } = {},
) {
  const told: string[] = []
  const revoked: { kid: string; until: number }[] = []
  const events = createEvents(() => {})
  for (const name of ['key.published', 'key.promoted', 'key.retired', 'key.revoked'] as const) {
    events.on(name, ({ kid, alg, actor }) =>
      told.push([name.slice(4), alg, kid, actor].filter(Boolean).join(' ')),
    )
  }
  events.on('token.revoked', ({ of, id, actor }) => told.push(`${of} ${id} of ${actor}`))
  const keys = createRotatingKeys({
    store,
    sealing: createKeySealing(options.secrets ?? [SECRET]),
    schedule: { rotateAfterSeconds: 90 * DAY, publishAheadSeconds: DAY },
    longestLifetimes: {
      ES256: { seconds: async () => 10 * DAY },
      RS256: { seconds: async () => 14 * DAY },
    },
    async revokeKey(kid, until) {
      await options.revokeKey?.()
      revoked.push({ kid, until })
    },
    events,
    logger: options.logger ?? { debug() {}, info() {}, warn() {}, error() {} },
    makeKeys: quickKeys,
    patienceMs: options.patienceMs ?? 3_600_000,
  })

  return {
    keys,
    told,
    revoked,
    published: () => keys.ring.published.keys.map(({ kid }) => String(kid)),
    /** The key that signs. */
    signing: (alg: 'ES256' | 'RS256' = 'ES256') =>
      String(keys.ring.signing.find((key) => key.alg === alg)?.kid),
    async sign(): Promise<string> {
      const key = keys.ring.signing.find(({ alg }) => alg === 'ES256')!
      return new SignJWT({})
        .setProtectedHeader({ alg: 'ES256', kid: key.kid })
        .sign(await importJWK(key, 'ES256'))
    },
    /** The name of the key that a token was signed with, if it is known here. */
    async verify(token: string): Promise<string> {
      await jwtVerify(token, keys.getKey)
      return String(decodeProtectedHeader(token).kid)
    },
    /** `current ES256 <kid>`, one entry a key. */
    list: async () => (await keys.list()).map(({ state, alg, kid }) => `${state} ${alg} ${kid}`),
  }
}
