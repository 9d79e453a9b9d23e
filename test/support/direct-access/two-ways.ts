import { fromManyAddresses } from '../from-many-addresses.ts'
import Koa, { type Middleware } from 'koa'
import type { Server } from 'node:http'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, type JWTVerifyGetKey } from 'jose'
import { bodyParser } from '@koa/bodyparser'
import { Provider } from 'oidc-provider'
import { memoryStore } from '../../../adapters/memory.ts'
import { createGatehouse } from '../../../src/gatehouse/create-gatehouse.ts'
import type { Gatehouse } from '../../../src/gatehouse/gatehouse.ts'
import { toPublicJwk, type SigningJwk } from '../../../src/keys/generate-key.ts'
import type { Store } from '../../../src/store/contract.ts'
import { products } from '../../fixtures/products.ts'
import type { Answer } from '../fuzz/answer.ts'
import { createDriver, type Driver } from '../fuzz/driver.ts'
import { withoutFastPath } from './without-fast-path.ts'
import { createInStore, FAILING_ACCOUNT, MISSING_ACCOUNT } from './clients.ts'

export const ORIGIN = 'http://localhost:3000'

/** What differs between the hosts. Both hosts of a host have the same. */
export interface Variant {
  readonly hasBodyParser: boolean
  /** Headers that the host sets before gatehouse answers. */
  readonly headers: Readonly<Record<string, string>>
}

export const VARIANTS: readonly Variant[] = [
  { hasBodyParser: false, headers: {} },
  { hasBodyParser: false, headers: { Vary: 'Accept-Encoding' } },
  { hasBodyParser: true, headers: { 'Cache-Control': 'private', 'X-Host': '1' } },
  { hasBodyParser: false, headers: { 'Access-Control-Allow-Origin': '*' } },
  { hasBodyParser: false, headers: { 'Content-Type': 'application/vnd.x+json' } },
]

/** What one host did with the bytes of one connection. */
export interface Observation {
  readonly answers: readonly unknown[]
  /** Events, calls of the host's callbacks, writes to the store, log lines and errors, in their order. */
  readonly happened: readonly unknown[]
}

interface Way {
  send(bytes: Buffer): Promise<Observation & { readonly withoutProvider: number }>
  close(): Promise<void>
}

const EVENTS = ['token.issued', 'token.rejected', 'client_authentication.failed', 'error'] as const

/** Starts a host whose fast path is on or off. */
async function startWay(isFast: boolean, variant: Variant, keys: readonly SigningJwk[]): Promise<Way> {
  let happened: unknown[] = []
  let withoutProvider = 0
  const note = (entry: readonly unknown[]) => void happened.push(normalize(entry))
  const log = (level: string) => (_details: object, message: string) => note([level, message])
  const gatehouse: Gatehouse = createGatehouse({
    issuer: `${ORIGIN}/auth`,
    audience: `${ORIGIN}/api`,
    resources: { [`${ORIGIN}/mcp`]: { products: ['payments'], title: 'Payments for agents' } },
    secret: 'a secret for two hosts, long enough to be one',
    store: writesOf(memoryStore(), note),
    kycLevels: ['none', 'basic', 'verified'],
    products,
    accounts: {
      find(id: string, userId?: string) {
        note(['accounts.find', id, userId])
        if (id === FAILING_ACCOUNT) throw new Error('the accounts are not available')
        return id === MISSING_ACCOUNT ? undefined : { id }
      },
    },
    signingKeys: { jwks: { keys: keys.map((key) => ({ ...key })) } },
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
  })
  await gatehouse.ready()
  await createInStore(gatehouse)
  for (const name of EVENTS) {
    gatehouse.on(name, (event) => {
      // Outside of a request to oidc-provider, this property is undefined.
      if (/issued|failed/.test(name) && Provider.ctx === undefined) withoutProvider += 1
      note([name, event])
    })
  }
  const publicKeys = createLocalJWKSet({ keys: keys.map(toPublicJwk) })
  const driver = createDriver()
  const server = serve(driver, gatehouse, variant, isFast, (error) => note(['app error', String(error)]))

  return {
    async send(bytes) {
      happened = []
      withoutProvider = 0
      const { answers, isUnanswered } = await driver.send(server, bytes)
      if (isUnanswered) throw new Error('a request got no answer')
      // The last use of a client is written in the background.
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      const normalized = await Promise.all(answers.map((answer) => normalizeAnswer(answer, publicKeys)))
      return { answers: normalized, happened, withoutProvider }
    },
    async close() {
      await gatehouse.close()
      await driver.close()
    },
  }
}

function serve(
  driver: Driver,
  gatehouse: Gatehouse,
  variant: Variant,
  isFast: boolean,
  onError: (error: unknown) => void,
): Server {
  const app = new Koa()
  const setHeaders: Middleware = (ctx, next) => {
    ctx.set(variant.headers)
    return next()
  }
  app.on('error', onError)
  app.use(fromManyAddresses())
  app.use(setHeaders)
  if (!isFast) app.use(withoutFastPath)
  if (variant.hasBodyParser) app.use(bodyParser({ onError: (_error, ctx) => ctx.throw(422) }))
  app.use(gatehouse.middleware())
  app.use((ctx) => {
    ctx.body = 'the host'
  })
  return driver.serve(app.callback())
}

/** The store, with a note of each change. */
function writesOf(store: Store, note: (call: readonly unknown[]) => void): Store {
  const changed = Object.fromEntries(
    (['set', 'create', 'replace', 'delete', 'add', 'remove', 'publish'] as const).map((name) => [
      name,
      (...args: unknown[]) => {
        note([name, ...args])
        return (store[name] as (...args: unknown[]) => unknown)(...args)
      },
    ]),
  )
  return { ...store, ...changed }
}

/** Replaces what may differ: the id of the token, and times of the same second. */
function normalize(entry: readonly unknown[]): unknown {
  const text = JSON.stringify(entry, (name, value: unknown) => {
    if (name === 'tokenId') return typeof value === 'string' && /^[\w-]{43}$/.test(value) ? '<id>' : value
    return name === 'expiresAt' || name === 'lastUsedAt' ? about(value) : value
  })
  return JSON.parse(text)
}

/** A time is replaced by whether it is plausible. `endOf` in the same unit: epoch seconds. */
function about(value: unknown): unknown {
  const now = Date.now() / 1000
  if (typeof value !== 'number') return value
  if (value <= now && value > now - 3602) return '<this hour>'
  return Math.abs(value - now - LIFETIME) <= 2 ? '<end of the token>' : value
}

/** The default lifetime of tokens for direct access, in seconds. */
const LIFETIME = 864_000

/** An answer without its date, and with the decoded token. */
async function normalizeAnswer(answer: Answer, keys: JWTVerifyGetKey): Promise<unknown> {
  const headers = answer.headers.filter(([name]) => name.toLowerCase() !== 'date')
  const body = /^\{.*\}$/.test(answer.body) ? (JSON.parse(answer.body) as Record<string, unknown>) : {}
  const token = body['access_token']
  if (typeof token !== 'string') return { status: answer.status, headers, body: answer.body }
  const audience = [`${ORIGIN}/api`, `${ORIGIN}/mcp`]
  await jwtVerify(token, keys, { issuer: `${ORIGIN}/auth`, audience, typ: 'at+jwt' })
  const { iat, exp, jti, ...claims } = decodeJwt(token)
  return {
    status: answer.status,
    headers,
    // The order of the members is compared too.
    body: Object.keys(body).map((name) => [name, name === 'access_token' ? '' : body[name]]),
    header: Object.entries(decodeProtectedHeader(token)),
    claims: Object.entries(claims),
    order: Object.keys(decodeJwt(token)),
    times: [about(iat), about(exp), Number(exp) - Number(iat)],
    jti: /^[\w-]{43}$/.test(String(jti)),
  }
}

/** Two hosts that differ only in the fast path. */
export interface TwoWays {
  /** Sends the same bytes to both hosts. `fast` is the number of answers of the first host without oidc-provider. */
  send(bytes: Buffer): Promise<{ on: Observation; off: Observation; fast: number }>
  close(): Promise<void>
}

/** Starts two hosts that have the same clients, keys and settings. */
export async function startTwoWays(variant: Variant, keys: readonly SigningJwk[]): Promise<TwoWays> {
  const [fast, slow] = await Promise.all([startWay(true, variant, keys), startWay(false, variant, keys)])
  return {
    async send(bytes) {
      const { withoutProvider, ...on } = await fast.send(bytes)
      const { withoutProvider: none, ...off } = await slow.send(bytes)
      if (none > 0) throw new Error('a host without the fast path answered without oidc-provider')
      return { on, off, fast: withoutProvider }
    },
    async close() {
      await Promise.all([fast.close(), slow.close()])
    },
  }
}
