/** One way of `one-person.ts`: a host, the person in a loop, and everyone else. */
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Context, Next } from 'koa'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { replaceOutgoingConnections } from 'koa-gatehouse/testing'
import { percentile } from '../../bench/figures.ts'
import { documentOf, POLICY, VENDOR } from '../support/client-document.ts'
import { startDocumentHost } from '../support/document-host.ts'
import { authorize, connect, SECRET, startHost, type Tokens } from '../support/host.ts'
import { byKind, keysInRedis } from '../support/keys-in-redis.ts'
import { authorizePublic, LOOPBACK } from '../support/public-application.ts'
import { readSession, sessionIn } from '../support/session-cookie.ts'
import { answerQuestions } from './key-process.ts'
import type { Way } from './one-person.ts'

/** The options of a process, passed as JSON. */
export interface ProcessOptions {
  readonly port: number
  readonly way: Way
  readonly redisUrl: string
  readonly seconds: number
}

/** What a process can be asked for: the loop, until its seconds are over. */
export type Ask = 'run'
export type Result = Awaited<ReturnType<typeof run>>

const PERSON = 'mallory'
const LOOPS = 8
/** The networks of the person. From four of them, all documents can be fetched that strangers may cause. */
const NETWORKS = 4
/** More refreshes than one grant may have revocations of single tokens. */
const REFRESHES = 12
const PAUSE_MS = 2000

const { way, redisUrl, seconds } = JSON.parse(process.argv[2] ?? '') as ProcessOptions
const [log, got]: [Record<string, number>, Record<string, number>] = [{}, {}]
const failures: string[] = []
const record = ({ err }: { err?: Error }, message: string) =>
  count(log, `${message} ${err?.message ?? ''}`.replaceAll(/\d{2,}/g, '…'))
let requests = 0
const fromNetworks = (ctx: Context, next: Next) => {
  const at = readSession(ctx)?.accountId === PERSON ? (requests += 1) % NETWORKS : NETWORKS
  ctx.request.ip = `203.0.${at}.1`
  return next()
}
const redis = new Redis(redisUrl)
const host = await startHost({
  store: redisStore(redis),
  above: [fromNetworks],
  gatehouse: {
    accounts: {
      find: (id) => ({ id, kycLevel: 'verified', claims: { name: id } }),
      current: readSession,
      signInUrl: () => '/sign-in',
    },
    // The machine may be slow.
    storeTimeoutMs: 10_000,
    // With a secret of its own, the host also makes its keys.
    secret: SECRET,
    publicApplications: true,
    clientDocuments: [{ ...POLICY, match: 'https://*' }],
    logger: { debug() {}, info: record, warn: record, error: record },
  },
})
const documents = await startDocumentHost([VENDOR, '*.example.com'])
await replaceOutgoingConnections(host.gatehouse, documents.connections)
const ledger = await host.createApplication()
const makeOwn = () => host.createApplication({ firstParty: true })
/** An application for each loop, and tokens of one of its grants, which the person keeps. */
const own = await Promise.all(Array.from({ length: LOOPS }, makeOwn))
const kept: (Tokens | undefined)[] = []

const ways: Record<Way, (loop: number) => Promise<unknown>> = {
  /** A browser that forgets our cookies signs in silently. */
  sessions: () => authorizeSilently(0),
  async documents() {
    const address = `https://d${(requests += 1)}.example.com/`
    const long = Array.from({ length: 19 }, (_, at) => `${address}${at}${'x'.repeat(200)}`)
    const clientId = `${address}client.json`
    documents.serve(clientId, documentOf(clientId, { redirect_uris: [LOOPBACK, ...long] }))
    note('approval', await authorizePublic(host, clientId, { browser: browserOf(PERSON) }))
  },
  async grants() {
    const options = { browser: browserOf(PERSON), parameters: { prompt: 'consent' } }
    note('consent', await authorize(host, ledger.client_id, options))
  },
  /** A code, refreshes, and a revocation of each token. Without a code: refreshes of the kept grant. */
  async tokens(at) {
    const application = own[at] ?? ledger
    const code = await authorizeSilently(at)
    const exchanged = code === '' ? undefined : await host.exchangeCode(application, code)
    if (exchanged) count(got, `code ${exchanged.status}`)
    const isRevoking = exchanged !== undefined && kept[at] !== undefined
    let tokens = (exchanged?.body ?? kept[at]) as Tokens | undefined
    for (let refreshes = 0; tokens && refreshes < REFRESHES; refreshes += 1) {
      const { status, body } = await host.refresh(application, tokens.refresh_token)
      count(got, `refresh ${status}`)
      if (status !== 200) break
      tokens = body as unknown as Tokens
      if (isRevoking) {
        const revoked = await host.post('/oauth2/revoke', { ...application, token: tokens.access_token })
        count(got, `revocation ${revoked.status}`)
      } else kept[at] = tokens
    }
  },
}
answerQuestions({ run })

async function authorizeSilently(at: number): Promise<string> {
  const options = { browser: browserOf(PERSON), parameters: { prompt: 'none' } }
  const authorized = await authorize(host, own[at]?.client_id ?? '', options)
  note('silent', authorized)
  return authorized.code
}

function note(what: string, { callback, code, pages }: Awaited<ReturnType<typeof authorize>>): void {
  const error = callback.searchParams.get('error') ?? String(pages.at(-1)?.status)
  count(got, `${what}: ${code === '' ? error : 'code'}`)
}

function browserOf(accountId: string) {
  const browser = host.browser()
  sessionIn(host.origin).signInAt(browser, { accountId })
  return browser
}

async function run() {
  const until = performance.now() + seconds * 1000
  const loop = async (at: number) => {
    while (performance.now() < until) await ways[way](at).catch((error: unknown) => count(got, String(error)))
  }
  const [others] = await Promise.all([workUntil(until), ...own.map((_, at) => loop(at))])
  const memory = await redis.info('memory')
  const [highest = 0, max = 1] = ['used_memory_peak', 'maxmemory'].map((name) =>
    Number(new RegExp(`\\b${name}:(\\d+)`).exec(memory)?.[1]),
  )
  const kinds = [...byKind(await keysInRedis(redis))].toSorted(
    ([, one], [, other]) => other.bytes - one.bytes,
  )
  return {
    redis: `at most ${Math.round(highest / 1e5) / 10} MB, ${Math.round((highest / max) * 100)} % of maxmemory`,
    keys: Object.fromEntries(kinds.slice(0, 12)),
    person: got,
    others,
    log,
    failures,
  }
}

/** What operators and other people do every two seconds: how often it was done, and in how many milliseconds. */
async function workUntil(until: number) {
  const disabled = await host.createApiKey()
  const { apiKeys, tokens } = host.gatehouse
  let people = 0
  let token = ''
  const work = {
    async 'sign in and consent'() {
      const browser = browserOf(`user-${(people += 1)}`)
      token = (await connect(host, ledger, { browser, parameters: { prompt: 'consent' } })).access_token
      await expectStatus(200)
    },
    async revoke() {
      await tokens.revoke(token)
      await expectStatus(401)
    },
    create: () => host.createApiKey(),
    async 'disable and enable'() {
      await apiKeys.disable(disabled.client_id)
      await apiKeys.enable(disabled.client_id)
    },
  }
  const expectStatus = async (expected: number) => {
    const { status, text } = await host.call('GET /invoices/list', token)
    if (status !== expected) throw new Error(`a call was answered ${status} instead of ${expected}: ${text}`)
  }
  const times: Record<string, number[]> = {}
  const begin = performance.now()
  while (performance.now() < until) {
    for (const [what, act] of Object.entries(work)) {
      const started = performance.now()
      try {
        await act()
        ;(times[what] ??= []).push(Math.round(performance.now() - started))
      } catch (error) {
        const at = Math.round((started - begin) / 1000)
        failures.push(`${what} failed after ${at} s: ${String(error).slice(0, 300)}`)
      }
    }
    await delay(PAUSE_MS)
  }
  for (const what of Object.keys(work)) if (!times[what]) failures.push(`${what} never succeeded`)
  const figuresOf = (all: number[]) => ({
    done: all.length,
    p50: percentile(all, 0.5),
    max: percentile(all, 1),
  })
  return Object.fromEntries(Object.entries(times).map(([what, all]) => [what, figuresOf(all)]))
}

function count(counts: Record<string, number>, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1
}
