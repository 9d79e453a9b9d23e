/**
 * Sends 300 wrong secrets a second from 1000 addresses for one client, through two processes. It fails if the owner, at an
 * own address and at one of these addresses, does not get every token, or if the 99th percentile of the token requests is
 * more than three times that of the quiet seconds before. `--seconds N` sets the time of the flood.
 */
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { percentile, round } from '../../bench/figures.ts'
import { startProcess } from '../../bench/processes.ts'
import { freePort } from '../support/free-port.ts'
import { startRedis } from '../support/redis-server.ts'
import type { Credentials } from './key-process.ts'
import type { Ask, ProcessOptions } from './wrong-secrets-process.ts'

const WRONG_PER_SECOND = 300
const ADDRESSES = 1000
const OWN_PER_SECOND = 20
const TIMES = 3

const { values: options } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } })
const redis = await startRedis()
const ports = [await freePort(), await freePort()]
const processes = await Promise.all(
  ports.map((port) =>
    startProcess<Ask>(new URL('wrong-secrets-process.ts', import.meta.url), {
      port,
      servicePort: ports[0],
      redisUrl: redis.url,
    } as ProcessOptions),
  ),
)
const key = await processes[0]?.ask<Credentials>('key')
if (!key) throw new Error('no key')
const agents = {
  owner: new Agent({ keepAlive: true }),
  attacker: new Agent({ keepAlive: true, maxSockets: 64 }),
}
const addressOf = (at: number) => `10.1.${Math.floor(at / 250)}.${at % 250}`
const wrong = { ...key, client_secret: 'x'.repeat(43) }
const statuses: Record<string, number> = {}

await measure(5)
const quiet = await measure(20)
const flood = sendFlood(Number(options.seconds))
await delay(2000)
const busy = await measure(Number(options.seconds) - 4)
await flood
const times = busy.p99 / quiet.p99
console.table({ quiet, 'during the flood': busy })
console.log(`${round(times)} times the p99; answers to the flood: ${JSON.stringify(statuses)}`)
const failures = [
  ...(busy.failed + quiet.failed > 0 ? [`the owner got no token ${busy.failed} times`] : []),
  ...(times > TIMES ? [`the owner waits ${round(times)} times as long`] : []),
  ...(statuses['429'] ? [] : ['no request was answered with 429']),
]
for (const failure of failures) console.error(failure)
await Promise.all(processes.map((each) => each.terminate()))
await redis.stop()
process.exit(failures.length === 0 ? 0 : 1)

/** Requests tokens as the owner, in turn from an own address and from one of the flood. Times are in milliseconds. */
async function measure(seconds: number) {
  const requests: Promise<{ status: number | undefined; took: number }>[] = []
  const started = performance.now()
  while (performance.now() - started < seconds * 1000) {
    while (requests.length < ((performance.now() - started) / 1000) * OWN_PER_SECOND) {
      const address = requests.length % 2 === 0 ? '192.0.2.1' : addressOf(requests.length % ADDRESSES)
      requests.push(post(requests.length, key ?? wrong, address, agents.owner))
    }
    await delay(5)
  }
  const answers = await Promise.all(requests)
  const took = answers.map((each) => each.took)
  return {
    requests: answers.length,
    failed: answers.filter(({ status }) => status !== 200).length,
    p50: round(percentile(took, 0.5)),
    p99: round(percentile(took, 0.99)),
  }
}

async function sendFlood(seconds: number): Promise<void> {
  const started = performance.now()
  const requests: Promise<unknown>[] = []
  while (performance.now() - started < seconds * 1000) {
    while (requests.length < ((performance.now() - started) / 1000) * WRONG_PER_SECOND) {
      const at = requests.length
      requests.push(
        post(at, wrong, addressOf(at % ADDRESSES), agents.attacker).then(({ status }) => {
          statuses[String(status)] = (statuses[String(status)] ?? 0) + 1
        }),
      )
    }
    await delay(5)
  }
  await Promise.all(requests)
}

function post(at: number, credentials: Credentials, address: string, agent: Agent) {
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...credentials }).toString()
  const started = performance.now()
  return new Promise<{ status: number | undefined; took: number }>((resolve) => {
    const finish = (status: number | undefined) => resolve({ status, took: performance.now() - started })
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': address }
    const outgoing = request(
      { port: ports[at % 2], host: '127.0.0.1', path: '/auth/oauth2/token', method: 'POST', headers, agent },
      (response) => response.resume().on('end', () => finish(response.statusCode)),
    )
    outgoing.on('error', () => finish(undefined)).end(body)
  })
}
