/**
 * Rotates keys every 2 seconds for 60 seconds. Meanwhile, clients use direct and delegated access at two
 * processes that share one Redis. They also call a third process, which is only a gateway. Every valid token
 * must be accepted, no response may be a 5xx, and each rotation must change one key of each algorithm. Then
 * 200 keys are revoked, each while it is the current key. Each measured time ends when the other process
 * rejects a cached token of the revoked key. The test fails if one of these rules is broken, or if a
 * revocation takes too long.
 */
import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose'
import { freePort } from '../support/free-port.ts'
import { startRedis } from '../support/redis-server.ts'
import { authorize } from '../../bench/authorize.ts'
import { startProcess, type Running as AnyRunning } from '../../bench/processes.ts'
import type { Ask, Clients, KeyChange, ProcessOptions } from './rotation-process.ts'

type Running = AnyRunning<Ask>

const RUN_SECONDS = 60
const ROTATION_SECONDS = 2
const HOUR_SECONDS = 3600
/** Parallel loops of each flow, and milliseconds between two rounds of a loop. */
const LOOPS = 2
const PAUSE_MS = 100
/** Keys that are revoked after the rotations. */
const REVOCATIONS = 200
/** The number of older tokens, of all ages, that are kept for later calls. */
const KEPT_TOKENS = 400

const events: KeyChange[] = []
const failures: string[] = []
const count = { direct: 0, delegated: 0, refreshed: 0, idTokens: 0, calls: 0, callsWithOlder: 0 }
const older: string[] = []

const { url: redisUrl } = await startRedis()
const servicePort = await freePort()
const start = async (role: 'service' | 'gateway', port: number) => {
  const options: ProcessOptions = { redisUrl, port, servicePort, role, rotateAfterSeconds: ROTATION_SECONDS }
  return startProcess<Ask, KeyChange>(new URL('rotation-process.ts', import.meta.url), options, {
    onEvent: (event) => events.push(event),
  })
}
const one = await start('service', servicePort)
const other = await start('service', await freePort())
const alone = await start('gateway', await freePort())
const services = [one, other]
const gateways = [one, other, alone]
const { key, application } = await one.ask<Clients>('clients')

const startedAt = Date.now()
const until = startedAt + RUN_SECONDS * 1000
const loops = Array.from({ length: LOOPS }, () => [
  repeat(direct),
  repeat(delegated),
  repeat(withOlder),
]).flat()
await Promise.all(loops)
const endedAt = Date.now()
const rotations = [...events]
// The revocations are measured in two new processes on another Redis, without scheduled rotations and with few
// published keys.
await Promise.all([one.kill(), other.kill()])
const { url: secondRedisUrl } = await startRedis()
const startWithoutRotation = async (port: number) => {
  const fixed = { redisUrl: secondRedisUrl, role: 'service', rotateAfterSeconds: HOUR_SECONDS } as const
  const options: ProcessOptions = { ...fixed, port, servicePort }
  return startProcess<Ask>(new URL('rotation-process.ts', import.meta.url), options)
}
const unrotated = [await startWithoutRotation(servicePort), await startWithoutRotation(other.port)] as const
const revocations = await measureRevocations()
report()
process.exit(failures.length === 0 ? 0 : 1)

async function repeat(round: () => Promise<void>): Promise<void> {
  while (Date.now() < until) {
    await round().catch((error: unknown) => failures.push(String(error)))
    await delay(PAUSE_MS * (0.5 + Math.random()))
  }
}

async function direct(): Promise<void> {
  const { access_token: token } = await requestToken(pickRandom(services), key, {
    grant_type: 'client_credentials',
  })
  count.direct += 1
  await use(token)
}

async function delegated(): Promise<void> {
  // Each step goes to a random process, as behind a load balancer.
  const code = await authorize({
    issuer: `http://localhost:${servicePort}/auth`,
    clientId: application.client_id,
    redirectUri: 'https://app.example/callback',
    scope: 'openid invoices:read',
    accountId: `user-${count.delegated}`,
    pickPort: () => pickRandom(services).port,
  })
  let tokens = await requestToken(pickRandom(services), application, {
    grant_type: 'authorization_code',
    code,
  })
  count.delegated += 1
  await Promise.all([use(tokens.access_token), checkIdToken(tokens.id_token)])
  for (let refreshes = 0; refreshes < 3; refreshes += 1) {
    await delay(PAUSE_MS)
    const parameters = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' }
    tokens = await requestToken(pickRandom(services), application, parameters)
    count.refreshed += 1
    await Promise.all([use(tokens.access_token), checkIdToken(tokens.id_token)])
  }
}

async function withOlder(): Promise<void> {
  const token = older[randomInt(older.length || 1)]
  if (token === undefined) return
  count.callsWithOlder += gateways.length
  await Promise.all(gateways.map((gateway) => call(gateway, token)))
}

/** Calls all gateways at the same time, with one token. */
async function use(token: string): Promise<void> {
  older.push(token)
  if (older.length > KEPT_TOKENS) older.splice(randomInt(older.length), 1)
  count.calls += gateways.length
  await Promise.all(gateways.map((gateway) => call(gateway, token)))
}

async function call(gateway: Running, token: string): Promise<void> {
  const { status, text } = await callOnce(gateway, token)
  if (status !== 200) failures.push(`${name(gateway)} answered a valid token with ${status} ${text}`)
}

async function callOnce(gateway: Running, token: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${gateway.port}/api/invoices/1`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return { status: response.status, text: await response.text() }
}

/** Verifies an ID token as an application does: with the keys that each process publishes at this moment. */
async function checkIdToken(idToken: string | undefined): Promise<void> {
  count.idTokens += 1
  for (const service of services) {
    const response = await fetch(`http://127.0.0.1:${service.port}/auth/oauth2/jwks`)
    const keys = createLocalJWKSet((await response.json()) as JSONWebKeySet)
    await jwtVerify(idToken ?? '', keys, { audience: application.client_id }).catch((error: unknown) => {
      failures.push(`an ID token cannot be verified with the keys of ${name(service)}: ${String(error)}`)
    })
  }
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token?: string
  readonly id_token?: string
}

async function requestToken(
  service: Running,
  client: Clients['key'],
  parameters: Record<string, string>,
): Promise<Tokens> {
  const response = await fetch(`http://127.0.0.1:${service.port}/auth/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ ...client, ...parameters }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${name(service)} issued no token: ${response.status} ${text}`)
  return JSON.parse(text) as Tokens
}

/**
 * Milliseconds from before a key is revoked at one process until the other process rejects the tokens of that
 * key. The result is sorted.
 */
async function measureRevocations(): Promise<number[]> {
  const [here, there] = unrotated
  const { key: client } = await here.ask<Clients>('clients')
  const times: number[] = []
  for (let round = 0; round < REVOCATIONS; round += 1) {
    const { access_token: token } = await requestToken(here, client, { grant_type: 'client_credentials' })
    for (const service of unrotated) await call(service, token)
    const revokedAt = performance.now()
    const revoked = here.ask('revoke', 20_000, decodeProtectedHeader(token).kid)
    while ((await callOnce(there, token)).status === 200) continue
    times.push(performance.now() - revokedAt)
    await revoked
    // Both processes are notified of the new key, so they accept the next token at once. A separate gateway
    // could not fetch keys that often.
    const { access_token: next } = await requestToken(pickRandom(unrotated), client, {
      grant_type: 'client_credentials',
    })
    for (const service of unrotated) await call(service, next)
    await delay(PAUSE_MS)
  }
  return times.toSorted((a, b) => a - b)
}

function report(): void {
  const seconds = (endedAt - startedAt) / 1000
  for (const alg of ['ES256', 'RS256']) {
    const activated = rotations.filter(
      ({ name: what, ...event }) => what === 'key.activated' && event.alg === alg,
    )
    const during = activated.filter(({ at }) => at >= startedAt)
    const times = activated.map(({ at }) => at).toSorted((a, b) => a - b)
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0))
    const [shortest, longest] = [Math.min(...gaps), Math.max(...gaps)]
    console.log(
      `${alg}: ${during.length} key changes in ${seconds.toFixed(1)} s, ${shortest} to ${longest} ms apart`,
    )
    if (new Set(activated.map(({ kid }) => kid)).size < activated.length)
      failures.push(`${alg}: a key was activated twice`)
    // An interval may be a little longer than `ROTATION_SECONDS`, but not shorter, because all processes
    // share one clock and timers are exact to milliseconds.
    if (shortest < ROTATION_SECONDS * 1000 - 100) failures.push(`${alg}: two changes in one interval`)
    if (during.length < (RUN_SECONDS / ROTATION_SECONDS) * 0.8)
      failures.push(`${alg}: there were too few rotations`)
  }
  console.table(count)
  const [median = Infinity, p99 = Infinity] = [0.5, 0.99].map(
    (part) => revocations[Math.floor(part * REVOCATIONS)],
  )
  console.log(
    `revoke(kid) to the first 401 of the other process: median ${median.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
  )
  if (median > 10 || p99 > 100)
    failures.push('revoke(kid) took too long: the limits are 10 ms (median) and 100 ms (p99)')
  const times = new Map<string, number>()
  for (const failure of failures) times.set(failure, (times.get(failure) ?? 0) + 1)
  for (const [failure, number] of times) console.log(`FAILED (${number} times): ${failure}`)
  if (failures.length === 0)
    console.log('no valid token was rejected, no response was a 5xx, and each rotation changed one key')
}

function pickRandom<T>(list: readonly T[]): T {
  return list[randomInt(list.length)] as T
}

function name(process: Running): string {
  return process === alone ? 'the gateway alone' : `process ${services.indexOf(process) + 1}`
}
