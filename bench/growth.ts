/** How the cost of a request grows: each quantity is measured small and large, in turn. */
import { loadavg } from 'node:os'
import { startRedis } from '../test/support/redis-server.ts'
import { saveResults } from './report.ts'
import { measure, prepare, print, type Candidate, type Group, type Schedule, type Setting } from './rounds.ts'

const LIST = '/api/items/list'
const TOKEN_ENDPOINT = '/auth/oauth2/token'
const MANY = 100_000

/** Measures each pair, prints its table, and stores the results. Ratios are relative to the first line of a table. */
export async function measureGrowth(schedule: Schedule): Promise<void> {
  const [load = 0] = loadavg()
  const setting = await prepare()
  const growth: Group[] = []
  for (const makePair of [tokens, operations, scopes, revocations, apiKeys]) {
    const { what, pair, close } = await makePair(setting)
    const reference = pair[0]?.name ?? ''
    const results = await measure(setting, pair, { schedule, reference })
    print(what, results)
    growth.push({ title: what, results })
    for (const { peer } of pair) await peer.kill()
    await close?.()
  }
  setting.close()
  await saveResults({ schedule, growth }, load)
}

interface Pair {
  readonly what: string
  readonly pair: readonly Candidate[]
  readonly close?: () => Promise<void>
}

async function tokens(setting: Setting): Promise<Pair> {
  const [one, many] = [await setting.writeTokens({ count: 1 }), await setting.writeTokens({ count: MANY })]
  const start = () => setting.startPeer('koa-gatehouse')
  return {
    what: 'Gateway: tokens in turn',
    pair: [
      { name: '1 token', peer: await start(), load: { path: LIST, tokens: one } },
      {
        name: '100,000 tokens',
        peer: await start(),
        load: { path: LIST, tokens: many },
        warmUpRequests: MANY,
      },
    ],
  }
}

async function operations(setting: Setting): Promise<Pair> {
  const load = { path: LIST, tokens: await setting.writeTokens({ count: 1 }) }
  const start = (count: number) => setting.startPeer('koa-gatehouse', { operations: count })
  return {
    what: 'Gateway: operations',
    pair: [
      { name: '10 operations', peer: await start(10), load },
      { name: '10,000 operations', peer: await start(10_000), load },
    ],
  }
}

/** A token with 300 scopes is a header of 7 kB, which also costs an open route something. */
async function scopes(setting: Setting): Promise<Pair> {
  const candidate = async (script: string, name: string, count: number): Promise<Candidate> => ({
    name: `${count} scopes${name}`,
    peer: await setting.startPeer(script, { operations: 300 }),
    load: { path: LIST, tokens: await setting.writeTokens({ count: 1, scopes: count }) },
  })
  return {
    what: 'Gateway: scopes in a token',
    pair: [
      await candidate('koa-gatehouse', '', 10),
      await candidate('koa-gatehouse', '', 300),
      await candidate('koa-open', ', open Koa route', 10),
      await candidate('koa-open', ', open Koa route', 300),
    ],
  }
}

async function revocations(setting: Setting): Promise<Pair> {
  const load = { path: LIST, tokens: await setting.writeTokens({ count: 1 }) }
  const start = (count: number) => setting.startPeer('koa-gatehouse', { revocations: count })
  return {
    what: 'Gateway: active revocations',
    pair: [
      { name: '0 revocations', peer: await start(0), load },
      { name: '200,000 revocations', peer: await start(200_000), load },
    ],
  }
}

async function apiKeys(setting: Setting): Promise<Pair> {
  const redis = await startRedis()
  const start = async (name: string, clients: number): Promise<Candidate> => {
    const keyPrefix = `gatehouse-${clients}:`
    const peer = await setting.startPeer('koa-gatehouse', { redisPort: redis.port, keyPrefix, clients })
    const forms = await setting.writeForms(peer, 'forms')
    return { name, peer, load: { path: TOKEN_ENDPOINT, forms } }
  }
  return {
    what: 'Token endpoint on Redis: API keys in turn',
    pair: [await start('1 API key', 1), await start('100,000 API keys', MANY)],
    close: () => redis.stop(),
  }
}
