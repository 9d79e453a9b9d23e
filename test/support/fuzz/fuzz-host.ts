import { createHash } from 'node:crypto'
import type { Server } from 'node:http'
import { bodyParser } from '@koa/bodyparser'
import Koa, { type Context, type Middleware } from 'koa'
import { memoryStore } from '../../../adapters/memory.ts'
import { createGatehouse } from '../../../src/gatehouse/create-gatehouse.ts'
import type { Gatehouse } from '../../../src/gatehouse/gatehouse.ts'
import { generateSigningKey, type SigningJwk } from '../../../src/keys/generate-key.ts'
import type { GatehouseOptions } from '../../../src/options/options.ts'
import { OPTIONAL, products, PUBLIC } from './api.ts'
import { createDriver, type Driver } from './driver.ts'
import { BASE, koaRouter, type ForeignRouters, type Reach } from './routers.ts'

export const ORIGIN = 'http://localhost:3000'
export const ISSUER = `${ORIGIN}/auth`
export const AUDIENCE = `${ORIGIN}${BASE}`
/** Cookie of the host's own session. Its value is account, user and signature, with colons between. */
export const HOST_COOKIE = 'host_session'
export const CALLBACK = 'https://app.example/callback'
export const SIGNED_OUT = 'https://app.example/signed-out'
/** The secret of the host's gatehouse. */
export const SECRET = 'a secret for generated requests, long enough to be one'
export const PASSWORD = 'correct-password-of-all-users'
export const FASTIFY = 'fastify'
/** The server whose authorization service gets the requests. */
export const SERVICE = '@koa/router'

/** The keys that sign the tokens of hosts, and forged tokens. */
export interface FuzzHostKeys {
  readonly es256: SigningJwk
  readonly rs256: SigningJwk
  /** A key that the host does not have. */
  readonly foreign: SigningJwk
}

/** Makes keys for any number of hosts. */
export async function makeFuzzHostKeys(): Promise<FuzzHostKeys> {
  const [es256, rs256, foreign] = await Promise.all([
    generateSigningKey('ES256'),
    generateSigningKey('RS256'),
    generateSigningKey('ES256'),
  ])
  return { es256, rs256, foreign }
}

/** The options of a host. */
export interface FuzzHostOptions {
  readonly keys: FuzzHostKeys
  /** Whether users sign in at the host, which has several users per account, or on the built-in page. */
  readonly hasHostSession: boolean
  /** Whether the host has a body parser that runs before gatehouse. */
  readonly hasBodyParser: boolean
  /** Whether the Koa gateways pass on requests that match no operation, and have optional-token routes. */
  readonly isOpen: boolean
  /** Options of the gatehouse that replace the defaults of a host. */
  readonly gatehouse?: Partial<GatehouseOptions> | undefined
  /** Further routers in front of which the gateway is. @default only `@koa/router` */
  readonly foreign?: ForeignRouters | undefined
  /** Faulty middleware that gets generated requests before gatehouse. A test of the oracle uses it. */
  readonly above?: Middleware | undefined
  /** Faulty middleware between the gateway and the router. A test of the oracle uses it. */
  readonly between?: Middleware | undefined
}

/** A host under test, with all servers that get generated requests. */
export interface FuzzHost {
  readonly driver: Driver
  readonly gatehouse: Gatehouse
  readonly servers: ReadonlyMap<string, Server>
  readonly options: FuzzHostOptions
  close(): Promise<void>
}

/** First bytes of the client addresses of generated requests. */
export const GENERATED_FROM = '192.0.'

const OPEN = { optional: OPTIONAL, unclaimed: 'pass' } as const

const isGenerated = ({ ip }: Context) => ip.startsWith(GENERATED_FROM)

/** Starts a host: one gatehouse in memory, with its gateway in front of each router. */
export async function startFuzzHost(options: FuzzHostOptions): Promise<FuzzHost> {
  const driver = createDriver()
  const log = (level: string) => (details: object, message: string) =>
    driver.note({ kind: 'log', level, value: { ...details, message } })
  const gatehouse: Gatehouse = createGatehouse({
    issuer: ISSUER,
    audience: AUDIENCE,
    secret: SECRET,
    store: memoryStore(),
    products,
    accounts: options.hasHostSession ? sessionAccounts : builtInAccounts,
    signingKeys: { jwks: { keys: [options.keys.es256, options.keys.rs256] } },
    // Pending interactions and codes expire during a fuzz run, so that the use of memory can be judged.
    lifetimes: { signIn: 120, authorizationCode: 20 },
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    ...options.gatehouse,
  })
  await gatehouse.ready()

  const reach: Reach = (handler, principal) => driver.ran({ handler, clientId: principal?.clientId })
  const { above, between, foreign } = options
  const servers = new Map<string, Server>()
  for (const [name, routing] of Object.entries({ [SERVICE]: koaRouter, ...foreign?.koa })) {
    const app = new Koa()
    app.on('error', (error) => driver.note({ kind: 'app error', value: error }))
    if (options.hasBodyParser)
      app.use(bodyParser({ enableTypes: ['json', 'form', 'text'], onError: rejectBody }))
    if (above) app.use((ctx, next) => (isGenerated(ctx) ? above(ctx, next) : next()))
    app.use(gatehouse.middleware())
    app.use(gatehouse.gateway.middleware({ public: PUBLIC, ...(options.isOpen && OPEN) }))
    if (between) app.use(between)
    app.use(routing(reach))
    app.use((ctx: Context) => {
      if (ctx.path.startsWith('/site')) ctx.body = 'the site'
    })
    servers.set(name, driver.serve(app.callback()))
  }
  if (foreign) servers.set(FASTIFY, await foreign.startFastify(driver, gatehouse.gateway, reach))

  return {
    driver,
    gatehouse,
    servers,
    options,
    async close() {
      await gatehouse.close()
      await driver.close()
    },
  }
}

const find = (id: string) =>
  /^(alice|bob|acme)$/.test(id)
    ? { id, claims: { name: `Name of ${id}`, email: `${id}@host.example` } }
    : null

const builtInAccounts: GatehouseOptions['accounts'] = {
  find,
  authenticate: ({ identifier, password }) =>
    password === PASSWORD && find(identifier) ? { accountId: identifier } : null,
}

const sessionAccounts: GatehouseOptions['accounts'] = {
  find: (id, userId) => (userId === undefined || /^u\d$/.test(userId) ? find(id) : null),
  current(ctx) {
    const [accountId = '', userId, signature] = (ctx.cookies.get(HOST_COOKIE) ?? '').split(':')
    return signature === signatureOf(accountId, userId) ? { accountId, userId } : null
  },
  signInUrl: (returnTo) => `/login?next=${encodeURIComponent(returnTo.href)}`,
  signOut: (ctx) => void ctx.cookies.set(HOST_COOKIE, null),
}

/**
 * Replaces each error of the body parser by 400. The errors contain the body, and some have the status 500.
 */
function rejectBody(_error: Error, ctx: Context): void {
  ctx.throw(400)
}

/** Returns the value of the host's session cookie, with a signature so that requests cannot forge it. */
export function hostCookie(accountId: string, userId: string): string {
  return [accountId, userId, signatureOf(accountId, userId)].join(':')
}

const signatureOf = (accountId: string, userId = '') =>
  createHash('sha256').update([SECRET, accountId, userId].join()).digest('base64url').slice(0, 12)
