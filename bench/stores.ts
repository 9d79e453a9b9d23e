/**
 * The stores compared: `npm run bench -- stores`, or `npm run bench -- stores postgres redis`. Two processes share each
 * database, which writes each change to its disk before it confirms the change. Requests come one after another, so the
 * times are those of an idle service. Prints, for each store: the time and the CPU of a direct token, a code exchange and
 * a refresh; the time from a revocation to the first 401 of the other process; the time of a new key, of disabling it and
 * of a page of the console; the round trips of each; and the bytes of a key and a grant.
 */
import { freePorts } from '../test/support/free-port.ts'
import type { CountedCalls } from '../test/support/counted-calls.ts'
import { ACCOUNT_COOKIE, authorize } from './authorize.ts'
import { median, percentile, round } from './figures.ts'
import { CALLBACK, SCOPES } from './host.ts'
import { startProcess, type Running } from './processes.ts'
import type { StoreAsk, StoreProcessOptions, Timed } from './store-process.ts'
import { SERVERS, type StoreKind, type StoreServer } from './store-servers.ts'

const WARM_UP = 50
const REQUESTS = 300
const REVOCATIONS = 50
const CHANGES = 50
const CLIENTS = 200

interface Client {
  readonly client_id: string
  readonly client_secret: string
}

/** What was measured of one kind of request. */
interface Figures {
  readonly 'median ms': number
  readonly 'p95 ms'?: number
  readonly 'CPU ms, process'?: number
  readonly 'CPU ms, server'?: number
  readonly 'round trips'?: number
}

/** Measures the stores, and prints the tables. */
export async function measureStores(names: readonly string[]): Promise<void> {
  const kinds = (names.length === 0 ? Object.keys(SERVERS) : names) as StoreKind[]
  for (const kind of kinds) {
    if (!Object.hasOwn(SERVERS, kind)) {
      throw new Error(`unknown store: ${kind}; known: ${Object.keys(SERVERS).join(', ')}`)
    }
    const server = await SERVERS[kind]()
    try {
      console.log(`\n${kind}`)
      console.table(await measureStore(server))
      const bytes = await measureBytes(server)
      if (bytes) console.log(`bytes: ${bytes.key} a key, ${bytes.grant} a grant with its code and session`)
    } finally {
      await server.stop()
    }
  }
}

interface Service {
  readonly one: Running<StoreAsk>
  readonly other: Running<StoreAsk>
  readonly issuer: string
  readonly token: (parameters: Record<string, string>) => Promise<Tokens>
  close(): Promise<void>
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

async function startService({ address, isShared }: StoreServer): Promise<Service> {
  const [port = 0, otherPort = 0] = await freePorts(2)
  const script = new URL('store-process.ts', import.meta.url)
  const start = (options: StoreProcessOptions) => startProcess<StoreAsk>(script, options)
  const one = await start({ port, servicePort: port, store: address })
  const other = isShared ? await start({ port: otherPort, servicePort: port, store: address }) : one
  const issuer = `http://127.0.0.1:${port}/auth`
  return {
    one,
    other,
    issuer,
    async token(parameters) {
      const body = new URLSearchParams(parameters)
      const response = await fetch(`${issuer}/oauth2/token`, { method: 'POST', body })
      if (!response.ok) throw new Error(`no token: HTTP ${response.status} ${await response.text()}`)
      return (await response.json()) as Tokens
    },
    async close() {
      await one.kill()
      if (isShared) await other.kill()
    },
  }
}

const ask = async <T>({ one }: Pick<Service, 'one'>, question: StoreAsk, about = ''): Promise<T> =>
  (await one.ask<Timed>(question, 60_000, about)).value as T

async function measureStore(server: StoreServer): Promise<Record<string, Figures>> {
  const service = await startService(server)
  const { issuer, token } = service
  const key = await ask<Client>(service, 'createKey', 'acme')
  const application = await ask<Client>(service, 'createApplication', 'acme')
  const codes: string[] = []
  const refreshTokens: string[] = []
  const direct = () => token({ ...key, grant_type: 'client_credentials' })
  const exchange = async () => {
    const tokens = await token({
      ...application,
      grant_type: 'authorization_code',
      code: codes.shift() ?? '',
      redirect_uri: CALLBACK,
    })
    refreshTokens.push(tokens.refresh_token)
  }
  const refresh = async () => {
    const used = refreshTokens.shift() ?? ''
    const tokens = await token({ ...application, grant_type: 'refresh_token', refresh_token: used })
    refreshTokens.push(tokens.refresh_token)
  }
  const page = async () => {
    const headers = { cookie: `${ACCOUNT_COOKIE}=acme` }
    const response = await fetch(new URL('/console/api-keys', issuer), { headers, redirect: 'manual' })
    if (response.status !== 200) throw new Error(`no page: HTTP ${response.status}`)
    await response.arrayBuffer()
  }
  const directFigures = await measureRequests(service, server, direct)
  // A code is valid for a minute.
  for (let number = 0; number < REQUESTS + WARM_UP + 2; number += 1) {
    const request = { clientId: application.client_id, redirectUri: CALLBACK, scope: SCOPES }
    codes.push(await authorize({ issuer, ...request, accountId: `user-${number % 50}` }))
  }
  const figures: Record<string, Figures> = {
    'direct token': directFigures,
    'code exchange': await measureRequests(service, server, exchange),
    refresh: await measureRequests(service, server, refresh),
    'page of the console': await measureRequests(service, server, page),
    ...(await measureChanges(service)),
    'revoked, 401 elsewhere': await measureRevocations(service, direct),
  }
  await service.close()
  return figures
}

async function measureRequests(
  service: Service,
  server: StoreServer,
  send: () => Promise<unknown>,
): Promise<Figures> {
  const trips = await roundTripsOf(service, send)
  for (let number = 0; number < WARM_UP; number += 1) await send()
  const [before, serverBefore] = [await ask<number>(service, 'cpuMs'), server.cpuMs()]
  const times: number[] = []
  for (let number = 0; number < REQUESTS; number += 1) {
    const startedAt = performance.now()
    await send()
    times.push(performance.now() - startedAt)
  }
  const [after, serverAfter] = [await ask<number>(service, 'cpuMs'), server.cpuMs()]
  return {
    'median ms': round(median(times)),
    'p95 ms': round(percentile(times, 0.95)),
    'CPU ms, process': round((after - before) / REQUESTS),
    'CPU ms, server': round((serverAfter - serverBefore) / REQUESTS),
    'round trips': trips,
  }
}

async function measureChanges(service: Service): Promise<Record<string, Figures>> {
  const [creating, disabling]: [number[], number[]] = [[], []]
  for (let number = 0; number < CHANGES; number += 1) {
    const created = await service.one.ask<Timed>('createKey', 20_000, 'changer')
    creating.push(created.milliseconds)
    const { client_id } = created.value as Client
    disabling.push((await service.one.ask<Timed>('disable', 20_000, client_id)).milliseconds)
  }
  let made: Client | undefined
  const creates = await roundTripsOf(service, async () => {
    made = await ask<Client>(service, 'createKey', 'changer')
  })
  const disables = await roundTripsOf(service, () => ask(service, 'disable', made?.client_id))
  return {
    'create a key': { 'median ms': round(median(creating)), 'round trips': creates },
    'disable a key': { 'median ms': round(median(disabling)), 'round trips': disables },
  }
}

/** The round trips of a request before its answer. */
async function roundTripsOf(service: Service, send: () => Promise<unknown>): Promise<number> {
  await send()
  const counting = service.one.ask<Timed>('beginCount')
  await counting
  await send()
  const { roundTripsBeforeAnswer } = await ask<CountedCalls>(service, 'endCount')
  return roundTripsBeforeAnswer
}

async function measureRevocations({ one, other }: Service, request: () => Promise<Tokens>): Promise<Figures> {
  const times: number[] = []
  for (let number = 0; number < REVOCATIONS; number += 1) {
    const { access_token } = await request()
    const headers = { authorization: `Bearer ${access_token}` }
    const call = async () => (await fetch(`http://127.0.0.1:${other.port}/api/payments`, { headers })).status
    if ((await call()) !== 200) throw new Error('the call was rejected before the revocation')
    const startedAt = performance.now()
    const revoked = one.ask('revokeToken', 20_000, access_token)
    while ((await call()) !== 401);
    times.push(performance.now() - startedAt)
    await revoked
  }
  return { 'median ms': round(median(times)), 'p95 ms': round(percentile(times, 0.95)) }
}

/** The bytes that a key and a grant add. */
async function measureBytes(server: StoreServer): Promise<{ key: number; grant: number } | undefined> {
  const service = await startService(server)
  const { issuer, token } = service
  const application = await ask<Client>(service, 'createApplication', 'owner')
  const before = await server.bytes()
  for (let number = 0; number < CLIENTS; number += 1) await ask(service, 'createKey', `owner-${number % 20}`)
  const withKeys = await server.bytes()
  for (let number = 0; number < CLIENTS; number += 1) {
    const request = { clientId: application.client_id, redirectUri: CALLBACK, scope: SCOPES }
    const code = await authorize({ issuer, ...request, accountId: `person-${number}` })
    await token({ ...application, grant_type: 'authorization_code', code, redirect_uri: CALLBACK })
  }
  const withGrants = await server.bytes()
  await service.close()
  if (before === undefined || withKeys === undefined || withGrants === undefined) return undefined
  const each = (bytes: number) => Math.round(bytes / CLIENTS)
  return { key: each(withKeys - before), grant: each(withGrants - withKeys) }
}
