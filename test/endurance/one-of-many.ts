/**
 * 1000 users of one public application, through two processes on one Redis. One of them is hostile: this user floods the limit of calls,
 * refreshes in a loop, and revokes own tokens as fast as possible. The test fails if a call or refresh of another user is not
 * answered with 200, if the hostile user passes the share `perUser` by more than two leases of each process within 57 seconds, or
 * if this user leaves more than 2000 revocations in force. `--seconds N` sets the time.
 */
import { createHash } from 'node:crypto'
import { Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { redisStore } from '../../adapters/redis.ts'
import { authorize } from '../../bench/authorize.ts'
import { percentile, round } from '../../bench/figures.ts'
import { CALLBACK } from '../../bench/host.ts'
import { startProcess } from '../../bench/processes.ts'
import { createRevocationLog } from '../../src/revocation/revocation-log.ts'
import { freePort } from '../support/free-port.ts'
import type { Tokens } from '../support/host.ts'
import { startRedis } from '../support/redis-server.ts'
import type { Ask, ProcessOptions } from './limits-process.ts'
import { call, mostWithin, SHORTEST_WINDOW_MS, type Answer } from './limits.ts'

const USERS = 1000
/** All others make 11,988 calls a minute, which leaves room for the share of the hostile user, and for little more. */
const PER_MINUTE = 18_000
const CALL_EVERY_MS = 5000
const CALLS_PER_REFRESH = 6
/** A quarter, which is the default of `perUser`, and two leases of each of two processes. */
const ALLOWED = PER_MINUTE / 4 + 2 * 2 * Math.floor(PER_MINUTE / 4 / 40)
const ALLOWED_REVOCATIONS = 2000
const HOSTILE = 'user-0'
const VERIFIER = 'v'.repeat(43)

const { values: options } = parseArgs({ options: { seconds: { type: 'string', default: '120' } } })
const redis = await startRedis()
const ports = [await freePort(), await freePort()] as const
const processes = await Promise.all(
  ports.map((port) => {
    const about: ProcessOptions = { port, servicePort: ports[0], redisUrl: redis.url, perMinute: PER_MINUTE }
    return startProcess<Ask>(new URL('limits-process.ts', import.meta.url), about)
  }),
)
const clientId = (await processes[0]?.ask<string>('application')) ?? ''
const agent = new Agent({ keepAlive: true, maxSockets: 64, scheduling: 'fifo' })
let turn = 0
const nextPort = () => ports[(turn += 1) % 2] ?? 0
const addressOf = (user: number) => `10.1.${user >> 8}.${user & 255}`
const failures: string[] = []
const ofOthers: Record<'call' | 'refresh', number[]> = { call: [], refresh: [] }
const hostile: Record<string, number> = {}

const others: Tokens[] = []
let people = 0
const connectUsers = async () => {
  for (let user = (people += 1); user < USERS; user = people += 1) {
    const tokens = await authorizeAs(`user-${user}`)
    if (tokens) others.push(tokens)
  }
}
await Promise.all(Array.from({ length: 20 }, connectUsers))
if (others.length < USERS - 1) failures.push(`before the attack, only ${others.length} users got tokens`)
const calling = (await authorizeAs(HOSTILE))?.access_token ?? ''
const started = performance.now()
const until = started + Number(options.seconds) * 1000
const [floods] = await Promise.all([
  Promise.all(ports.map((port) => inLoops(8, () => flood(port)))),
  inLoops(2, () => refreshInLoop(false)),
  inLoops(4, () => refreshInLoop(true)),
  ...others.map((tokens, at) => beOrdinary(at + 1, tokens)),
])
const inForce = { token: 0, grant: 0, client: 0, key: 0, operation: 0 }
const client = new Redis(redis.url)
for await (const page of createRevocationLog(redisStore(client)).inForce()) {
  for (const { of } of page) inForce[of] += 1
}
const revocations = inForce.token + inForce.grant
const most = mostWithin(floods.flat(), SHORTEST_WINDOW_MS)
const ofEach = floods.map((answers) => mostWithin(answers, SHORTEST_WINDOW_MS))
if (most > ALLOWED) failures.push(`the hostile user made ${most} calls in 57 seconds, of ${ALLOWED}`)
if (revocations > ALLOWED_REVOCATIONS) failures.push(`${revocations} revocations are in force`)
for (const [what, times] of Object.entries(ofOthers)) {
  const [p50, p99] = [0.5, 0.99].map((share) => round(percentile(times, share)))
  console.log(`${what} by others: ${times.length}, p50 ${p50} ms, p99 ${p99} ms`)
}
console.log('the hostile user got', hostile)
console.log(`calls of the hostile user in 57 s: ${most} of ${ALLOWED}, by process ${ofEach.join(' and ')}`)
console.log(`revocations in force: ${revocations} of ${ALLOWED_REVOCATIONS}:`, inForce)
console.log(`${options.seconds} s, ${failures.length} failures`)
for (const failure of failures.slice(0, 20)) console.error(failure)
client.disconnect()
await Promise.all(processes.map((each) => each.terminate()))
await redis.stop()
process.exit(failures.length === 0 ? 0 : 1)

/** Runs several loops until the time is over. @returns what each turn resolved with */
async function inLoops<T>(count: number, act: () => Promise<T>): Promise<T[]> {
  const results: T[] = []
  const loop = async () => {
    while (performance.now() < until) results.push(await act())
  }
  await Promise.all(Array.from({ length: count }, loop))
  return results
}

async function flood(port: number): Promise<Answer> {
  const answer = await call(port, calling, agent)
  note('call', answer.status)
  await delay(40)
  return answer
}

/** Starts a grant, and refreshes in a loop. If the user also revokes, one revocation is that of the grant. */
async function refreshInLoop(isRevoking: boolean): Promise<void> {
  let tokens = await authorizeAs(HOSTILE).catch((error: unknown) => {
    note('grant', String(error))
    return undefined
  })
  note('grant', tokens ? 'started' : 'rejected')
  while (tokens && performance.now() < until) {
    if (isRevoking) note('revocation', (await post(0, 'revoke', { token: tokens.access_token })).status)
    const answer = await refresh(0, tokens)
    note('refresh', answer.status)
    tokens = answer.tokens
  }
}

async function beOrdinary(user: number, first: Tokens): Promise<void> {
  let tokens = first
  await delay(Math.random() * CALL_EVERY_MS)
  for (let calls = 1; performance.now() < until; calls += 1) {
    const { sentAt, answeredAt, status } = await call(nextPort(), tokens.access_token, agent, addressOf(user))
    noteOther('call', user, status, answeredAt - sentAt)
    if ((calls + user) % CALLS_PER_REFRESH === 0) {
      const begun = performance.now()
      const answer = await refresh(user, tokens)
      noteOther('refresh', user, answer.status, performance.now() - begun)
      tokens = answer.tokens ?? tokens
    }
    await delay(CALL_EVERY_MS)
  }
}

function noteOther(
  what: 'call' | 'refresh',
  user: number,
  status: Answer['status'] | string,
  took: number,
): void {
  ofOthers[what].push(took)
  const at = Math.round((performance.now() - started) / 1000)
  if (status !== 200) failures.push(`user ${user}: a ${what} was answered ${status} after ${at} s`)
}

function note(what: string, status: number | string | undefined): void {
  const key = `${what} ${status}`
  hostile[key] = (hostile[key] ?? 0) + 1
}

/** Authorizes silently, and exchanges the code. Resolves with undefined if the user gets no code. */
async function authorizeAs(accountId: string): Promise<Tokens | undefined> {
  const code = await authorize({
    issuer: `http://127.0.0.1:${ports[0]}/auth`,
    clientId,
    redirectUri: CALLBACK,
    scope: 'payments:list',
    accountId,
    codeChallenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    pickPort: nextPort,
  })
  if (code === '') return undefined
  const exchange = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER }
  const { status, tokens } = await post(0, 'token', exchange)
  if (!tokens) throw new Error(`a code was answered with ${status}`)
  return tokens
}

function refresh(user: number, tokens: Tokens | undefined) {
  return post(user, 'token', { grant_type: 'refresh_token', refresh_token: tokens?.refresh_token ?? '' })
}

async function post(user: number, path: string, fields: Record<string, string>) {
  const body = new URLSearchParams({ client_id: clientId, ...fields })
  const headers = { 'x-forwarded-for': addressOf(user) }
  const url = `http://127.0.0.1:${nextPort()}/auth/oauth2/${path}`
  try {
    const response = await fetch(url, { method: 'POST', headers, body })
    const text = await response.text()
    const tokens = path === 'token' && response.ok ? (JSON.parse(text) as Tokens) : undefined
    return { status: response.status, tokens }
  } catch (error) {
    return { status: String(error), tokens: undefined }
  }
}
