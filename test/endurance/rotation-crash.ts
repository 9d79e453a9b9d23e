/**
 * Kills a process (SIGKILL) in the middle of a rotation, 50 times: before or after the key ring is written,
 * after other processes were notified, or at a random moment. At every moment, exactly one key of each
 * algorithm must be the current key. Another process rotates on schedule. After each crash, that process must
 * issue tokens that it accepts, have a next key within seconds, and rotate. Otherwise the test fails.
 */
import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { freePort } from '../support/free-port.ts'
import { startRedis } from '../support/redis-server.ts'
import { startProcess, type Running } from '../../bench/processes.ts'
import type { Ask, Clients, ProcessOptions } from './rotation-process.ts'

const CRASHES = 50
/** Milliseconds after which a missing result counts as a hang. */
const HANG_TIMEOUT_MS = 15_000
/** The stored key of the ring, with the prefix of the adapter. */
const RING = 'gatehouse:signing-keys:ring'

interface Ring {
  readonly id: string
  readonly keys: readonly { readonly kid: string; readonly alg: string; readonly state: string }[]
}

const failures: string[] = []
const outcomes = { 'nothing was written': 0, 'the rotation was written': 0 }
const recovery: number[] = []
let samples = 0
let changes = 0
let isOver = false

const { url: redisUrl } = await startRedis()
const redis = new Redis(redisUrl)
const servicePort = await freePort()
const options = { redisUrl, servicePort, role: 'service' } as const
const start = (more: Partial<ProcessOptions> & { port: number }) =>
  startProcess<Ask>(new URL('rotation-process.ts', import.meta.url), { ...options, ...more })
const steady = await start({ port: servicePort, rotateAfterSeconds: 4 })
const { key } = await steady.ask<Clients>('clients')
const sampling = sample()

for (let crash = 0; crash < CRASHES; crash += 1) {
  await crashOnce(crash).catch((error: unknown) => failures.push(`crash ${crash + 1}: ${String(error)}`))
}
isOver = true
await sampling
report()
process.exit(failures.length === 0 ? 0 : 1)

async function crashOnce(crash: number): Promise<void> {
  const crashAt = (['before writing', 'after writing', 'after publishing', undefined] as const)[crash % 4]
  const victim = await start({ port: await freePort(), crashAt })
  const before = currentKids(await readRing())
  const rotation = victim.ask('rotate').catch(() => {})
  if (crashAt === undefined) {
    // The rotation takes about as long as generating an RSA key. The process is killed at a random moment of
    // this time.
    await delay(randomInt(400))
    await victim.kill()
  }
  await withTimeout(victim.ended, 'the process did not crash')
  await rotation
  const isWritten = currentKids(await readRing()) !== before
  outcomes[isWritten ? 'the rotation was written' : 'nothing was written'] += 1

  const crashedAt = performance.now()
  await withTimeout(useToken(steady), 'no token was issued and accepted')
  await withTimeout(waitForNextKeys(), 'there was no next key')
  recovery.push(performance.now() - crashedAt)
  await steady.ask('rotate', HANG_TIMEOUT_MS)
  await withTimeout(useToken(steady), 'no token was issued and accepted after a rotation')
}

async function useToken({ port }: Running): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/auth/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ ...key, grant_type: 'client_credentials' }),
  })
  const { access_token: token } = (await response.json()) as { access_token?: string }
  const headers = { authorization: `Bearer ${token}` }
  const { status } = await fetch(`http://127.0.0.1:${port}/api/invoices/1`, { headers })
  if (response.status !== 200 || status !== 200) throw new Error(`token: ${response.status}, call: ${status}`)
}

async function waitForNextKeys(): Promise<void> {
  for (;;) {
    const { keys } = await readRing()
    if (['ES256', 'RS256'].every((alg) => keys.some((one) => one.alg === alg && one.state === 'next'))) return
    await delay(20)
  }
}

/** Reads the ring repeatedly from the store, as another process would read it at that moment. */
async function sample(): Promise<void> {
  let last = ''
  while (!isOver) {
    const ring = await readRing()
    samples += 1
    if (ring.id !== last) changes += 1
    last = ring.id
    for (const alg of ['ES256', 'RS256']) {
      const number = ring.keys.filter((one) => one.alg === alg && one.state === 'current').length
      if (number !== 1) failures.push(`${number} keys for ${alg} sign`)
    }
    await delay(2)
  }
}

async function readRing(): Promise<Ring> {
  return JSON.parse((await redis.get(RING)) ?? '{"keys":[]}') as Ring
}

function currentKids({ keys }: Ring): string {
  return keys.flatMap(({ state, kid }) => (state === 'current' ? kid : [])).join()
}

async function withTimeout(work: Promise<unknown>, failure: string): Promise<void> {
  const timer = new AbortController()
  const timeout = delay(HANG_TIMEOUT_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`${failure} within ${HANG_TIMEOUT_MS} ms`)
  })
  try {
    await Promise.race([work, timeout])
  } finally {
    timer.abort()
    timeout.catch(() => {})
  }
}

function report(): void {
  console.table(outcomes)
  const longest = Math.round(Math.max(...recovery))
  const median = Math.round(recovery.toSorted((a, b) => a - b)[Math.floor(recovery.length / 2)] ?? Number.NaN)
  console.log(
    `${CRASHES} crashes; the ring was read ${samples} times, and changed ${changes} times.\n` +
      `Until there was a next key again: ${median} ms (median), ${longest} ms (longest).`,
  )
  for (const failure of new Set(failures)) console.log(`FAILED: ${failure}`)
  if (failures.length === 0)
    console.log('there was always exactly one current key of each algorithm, and no process hung')
}
