import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { deployStore, type DeployedStore } from './deployments.ts'
import { describeWithPostgres } from './describe-with-postgres.ts'
import { describeWithRedis } from './describe-with-redis.ts'
import { describeWithSqlite } from './describe-with-sqlite.ts'
import { isQuickOnRedis } from './test-files.ts'
import { storesOfRun, type Deployment, type RedisDeployment, type SharedDeployment } from './stores-of-run.ts'

/**
 * Makes a store. Call this function in hooks and tests, not while tests are collected.
 *
 * @param data a name; stores with the same name share their data, like the stores of several processes.
 *   Without a name the store is new and empty.
 */
export type MakeStore = (data?: string) => Store

const ROOT = path.resolve(import.meta.dirname, '../..')

/** Runs a suite on each deployment that `TEST_STORES` names: memory, Redis, cluster, Sentinel, PostgreSQL, SQLite. */
export function describeEachStore(name: string, suite: (makeStore: MakeStore) => void): void {
  describeEachDeployment(name, (deploy) => {
    const inMemory = new Map<string, Store>()
    suite((data = randomUUID()) => {
      const known = inMemory.get(data)
      if (known) return known
      const store = deploy(data)
      // Callers share the data of a store in memory only if they use the same object. On all other
      // deployments each store has its own connection.
      if (store.volatile) inMemory.set(data, store)
      return store
    })
  })
}

/**
 * Runs a suite on each deployment that `TEST_STORES` names. `deploy(data)` makes a store with its own
 * connection. Stores of the same name share their data, except in memory, where each new store is empty.
 */
export function describeEachDeployment(name: string, suite: (deploy: Deploy) => void): void {
  if (storesOfFile().includes('memory')) describe(`${name} (memory)`, () => suite(deploying('memory')))
  describeEachShared(name, suite)
}

/** Runs a suite on each deployment that TEST_STORES names and that several processes can reach. */
export function describeEachShared(
  name: string,
  suite: (deploy: Deploy, deployment: SharedDeployment) => void,
): void {
  for (const deployment of storesOfFile()) {
    if (deployment === 'memory') continue
    describeWith(deployment)(`${name} (${deployment})`, () => suite(deploying(deployment), deployment))
  }
}

function describeWith(deployment: SharedDeployment) {
  if (deployment === 'postgres') return describeWithPostgres
  return deployment === 'sqlite' ? describeWithSqlite : describeWithRedis
}

/** Runs a suite on each deployment of Redis that TEST_STORES names. */
export function describeEachRedis(name: string, suite: (deployment: RedisDeployment) => void): void {
  const isRedis = (each: Deployment): each is RedisDeployment =>
    !['memory', 'postgres', 'sqlite'].includes(each)
  const deployments = storesOfFile().filter(isRedis)
  // A file without any test would be an error.
  if (deployments.length === 0) it.skip(`${name}: TEST_STORES names no Redis`)
  for (const deployment of deployments) describeWithRedis(`${name} (${deployment})`, () => suite(deployment))
}

/** The deployments of the current file: those of its project, and for some quick files one Redis. */
function storesOfFile(): Deployment[] {
  const stores = storesOfRun()
  const { testPath = '' } = expect.getState()
  const isOnRedis = process.env['TEST_PROJECT'] === 'quick' && isQuickOnRedis(path.relative(ROOT, testPath))
  return isOnRedis ? [...stores, 'redis'] : stores
}

type Deploy = (data: string) => Store

/**
 * Creates the function `deploy` of a suite. Its connections are closed at the end of the current `describe`.
 */
function deploying(deployment: Deployment): Deploy {
  const deployed: DeployedStore[] = []
  afterAll(() => {
    for (const { disconnect } of deployed.splice(0)) disconnect()
  })
  return (data) => {
    const made = deployStore(deployment, `${data}:`)
    deployed.push(made)
    return made.store
  }
}

const WRITES = new Set(['set', 'create', 'replace', 'delete', 'add', 'remove', 'publish'])

/** Wraps a store and records its writes, such as `set session:…`, with one entry for each call. */
export function watchWrites(store: Store): { store: Store; writes: string[] } {
  const writes: string[] = []
  const watched = new Proxy(store, {
    get(target, name: keyof Store) {
      const member = target[name]
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        if (WRITES.has(name)) writes.push(`${name} ${String(args[0])}`)
        return Reflect.apply(member, target, args)
      }
    },
  })
  return { store: watched, writes }
}
