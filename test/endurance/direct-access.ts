/**
 * Sends generated token requests of API keys to two hosts, one with and one without the fast path for direct
 * access, and compares what both do: responses, decoded tokens, events, calls of the host's callbacks, and
 * writes to the store. The arguments `1 100000` are a seed and a number of
 * requests. The run prints each request that both hosts handle differently, and fails if there is one.
 */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { generateSigningKey } from '../../src/keys/generate-key.ts'
import { tokenRequest } from '../support/direct-access/requests.ts'
import { startTwoWays, VARIANTS } from '../support/direct-access/two-ways.ts'

/** Requests to one pair of hosts before the next pair replaces it. */
const REQUESTS_PER_PAIR = 500

const [seed = 1, count = 100_000] = process.argv.slice(2).map(Number)
if (![seed, count].every(Number.isSafeInteger) || count < 1) {
  throw new Error('arguments: direct-access [seed] [count]')
}

const keys = await Promise.all([generateSigningKey('ES256'), generateSigningKey('RS256')])
const statuses = new Map<string, number>()
let [sent, fast, tokens, different] = [0, 0, 0, 0]
for (let pair = 0; sent < count; pair += 1) {
  const variant = VARIANTS[pair % VARIANTS.length]
  if (!variant) break
  const ways = await startTwoWays(variant, keys)
  const numRuns = Math.min(REQUESTS_PER_PAIR, count - sent)
  for (const bytes of fc.sample(tokenRequest(), { seed: seed + pair, numRuns })) {
    const { on, off, fast: answered } = await ways.send(Buffer.from(bytes, 'latin1'))
    const text = JSON.stringify(off.answers)
    const status = `${/"status":(\d+)/.exec(text)?.[1]} ${/"error\\":\\"(\w+)/.exec(text)?.[1] ?? ''}`
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    sent += 1
    fast += answered
    if (text.includes('access_token')) tokens += 1
    if (on.answers.length === 1 && isDeepStrictEqual({ ...on }, { ...off })) continue
    different += 1
    console.log(JSON.stringify({ variant, bytes, on, off }, undefined, 2))
  }
  await ways.close()
}
console.log({ sent, tokens, fast, different, statuses: Object.fromEntries(statuses) })
process.exit(different === 0 ? 0 : 1)
