/** The groups of candidates that `npm run bench` compares. */
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { startRedis } from '../test/support/redis-server.ts'
import { round } from './figures.ts'
import { saveResults } from './report.ts'
import {
  measure,
  OURS,
  prepare,
  print,
  urlOf,
  type Candidate,
  type Group,
  type Peer,
  type Schedule,
  type Setting,
} from './rounds.ts'

const LIST = '/api/items/list'
const WITH_ID = '/api/items/:id'
/** One pass through all tokens fills the caches. */
const MANY_TOKENS = 100_000
const CHAINS = 16
const REFRESHES = { warmUpRequests: 6000, amount: 2000 }

/** Measures all groups, or those of the token endpoint, prints their tables and, if `writes`, stores the results. */
export async function compare(
  schedule: Schedule,
  { writes, isTokensOnly = false }: { readonly writes: boolean; readonly isTokensOnly?: boolean },
): Promise<void> {
  const [load = 0] = loadavg()
  console.log(`load average before the bench: ${round(load)}`)
  const setting = await prepare()
  const groups: Group[] = []
  const add = async (title: string, candidates: readonly Candidate[], rate?: number) => {
    const results = await measure(setting, candidates, { schedule, reference: OURS, rate })
    print(title, results)
    groups.push({ title, results })
  }
  const all = isTokensOnly ? [tokenEndpoint] : [gateway, newTokens, manyTokens, tokenEndpoint]
  for (const measureGroups of all) await measureGroups(setting, add)
  setting.close()
  if (writes) await saveResults({ schedule, groups }, load)
}

type AddGroup = (title: string, candidates: readonly Candidate[], rate?: number) => Promise<void>

async function gateway(setting: Setting, add: AddGroup): Promise<void> {
  const tokens = await setting.writeTokens({ count: 1 })
  const hmacTokens = await setting.writeTokens({ count: 1, alg: 'HS256' })
  const start = async (name: string, script: string, options: object = {}, sent = tokens) => {
    return { name, peer: await setting.startPeer(script, options), load: { path: LIST, tokens: sent } }
  }
  const candidates = [
    await start('open Koa route', 'koa-open'),
    await start('two empty middlewares', 'koa-open', { emptyMiddlewares: 2 }),
    await start(OURS, 'koa-gatehouse'),
    await start('jose in Koa', 'koa-jose'),
    await start('koa-jwt + jwks-rsa', 'koa-jwt'),
    await start('Express + express-oauth2-jwt-bearer', 'express-oauth2-jwt-bearer'),
    await start('Fastify + @fastify/jwt (HMAC)', 'fastify-jwt', {}, hmacTokens),
  ]
  await requireRejections(candidates.slice(2))
  await add('Gateway, a token seen before', candidates, 1000)
  const withId = candidates.map((one) => ({ ...one, load: { ...one.load, path: WITH_ID } }))
  await add('Gateway, a token seen before, with an id in the URL', withId, 1000)
  await end(candidates)
}

/** A candidate that does not verify signatures would win every comparison. */
async function requireRejections(candidates: readonly Candidate[]): Promise<void> {
  for (const { name, peer, load } of candidates) {
    const [header, payload, signature = ''] = readFileSync(load.tokens ?? '', 'utf8').split('.')
    const authorization = `Bearer ${header}.${payload}.${'A'.repeat(signature.length)}`
    const { status } = await fetch(urlOf(peer, LIST), { headers: { authorization } })
    if (status !== 401) throw new Error(`${name} answers ${status} to a token with a wrong signature`)
  }
}

async function newTokens(setting: Setting, add: AddGroup): Promise<void> {
  const load = { path: LIST, tokens: await setting.writeTokens({ count: 2000 }) }
  const candidates = [
    { name: OURS, peer: await setting.startPeer('koa-gatehouse', { cachesTokens: false }), load },
    { name: 'jose in Koa', peer: await setting.startPeer('koa-jose'), load },
  ]
  await add('Gateway, each token is new (no cache)', candidates, 1000)
  await end(candidates)
}

async function manyTokens(setting: Setting, add: AddGroup): Promise<void> {
  const load = { path: LIST, tokens: await setting.writeTokens({ count: MANY_TOKENS }) }
  const hmacLoad = { path: LIST, tokens: await setting.writeTokens({ count: MANY_TOKENS, alg: 'HS256' }) }
  const candidates = [
    { name: OURS, peer: await setting.startPeer('koa-gatehouse'), load, warmUpRequests: MANY_TOKENS },
    { name: 'jose in Koa', peer: await setting.startPeer('koa-jose'), load },
    {
      name: 'Fastify + @fastify/jwt (HMAC)',
      peer: await setting.startPeer('fastify-jwt'),
      load: hmacLoad,
      warmUpRequests: MANY_TOKENS,
    },
  ]
  await add('Gateway, 100,000 tokens in turn, from the second pass on', candidates)
  await end(candidates)
}

async function tokenEndpoint(setting: Setting, add: AddGroup): Promise<void> {
  const redis = await startRedis()
  const scripts = [
    { name: OURS, script: 'koa-gatehouse', path: '/auth/oauth2/token' },
    { name: 'bare oidc-provider', script: 'oidc-provider', path: '/token' },
    { name: 'the least that node:http can do', script: 'floor', path: '/' },
    { name: '@jmondi/oauth2-server', script: 'jmondi-oauth2-server', path: '/' },
  ]
  const start = async (script: string, options: object) => {
    const keyPrefix = `${script}-${JSON.stringify(options)}:`
    return setting.startPeer(script, { redisPort: redis.port, keyPrefix, ...options })
  }
  for (const clients of [1, 1000]) {
    const candidates: Candidate[] = []
    for (const { name, script, path } of scripts) {
      const peer = await start(script, { clients })
      candidates.push({ name, peer, load: { path, forms: await setting.writeForms(peer, 'forms') } })
    }
    const title = `Token endpoint, client_credentials, ${clients === 1 ? '1 client' : '1,000 clients'}`
    await add(title, candidates, 400)
    await end(candidates)
  }
  for (const openId of [false, true]) {
    const candidates: Candidate[] = []
    for (const { name, script, path } of scripts.slice(0, 3)) {
      const peer = await start(script, { grants: CHAINS, openId })
      const forms = await setting.writeForms(peer, 'refreshForms')
      candidates.push({ name, peer, load: { path, forms, refreshes: true }, ...REFRESHES })
    }
    await add(`Token endpoint, refresh_token${openId ? ', with an ID token' : ''}`, candidates, 200)
    await end(candidates)
  }
  await redis.stop()
}

async function end(candidates: readonly { readonly peer: Peer }[]): Promise<void> {
  for (const { peer } of candidates) await peer.kill()
}
