import { randomUUID } from 'node:crypto'
import { afterAll, describe } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { deployStore, type DeployedStore } from './deployments.ts'
import { describeWithRedis } from './describe-with-redis.ts'
import { storesOfRun, type Deployment } from './stores-of-run.ts'

/**
 * Makes a store. To be called in hooks and tests, not while tests are collected.
 *
 * @param data stores of one name hold the same data, as those of several processes do; empty if left out
 */
export type MakeStore = (data?: string) => Store

/** Runs a suite on each deployment of the run. */
export function describeEachStore(name: string, suite: (makeStore: MakeStore) => void): void {
  describeEachDeployment(name, (deploy) => {
    const inMemory = new Map<string, Store>()
    suite((data = randomUUID()) => {
      const known = inMemory.get(data)
      if (known) return known
      const store = deploy(data)
      // What is in memory is shared by sharing the store; elsewhere each has a connection of its own.
      if (store.volatile) inMemory.set(data, store)
      return store
    })
  })
}

/**
 * The same, for suites that also hand the deployment on to other processes.
 *
 * @param suite gets what makes a store of its own, on the data of that name, and the deployment
 * @param options.inMemory whether the suite makes sense there; @default true
 */
export function describeEachDeployment(
  name: string,
  suite: (deploy: (data: string) => Store, deployment: Deployment) => void,
  { inMemory = true }: { inMemory?: boolean } = {},
): void {
  for (const deployment of storesOfRun()) {
    if (deployment === 'memory' && !inMemory) continue
    const describeIt = deployment === 'memory' ? describe : describeWithRedis
    describeIt(`${name} (${deployment})`, () => {
      const deployed: DeployedStore[] = []
      afterAll(() => {
        for (const { disconnect } of deployed.splice(0)) disconnect()
      })
      suite((data) => {
        const made = deployStore(deployment, `${data}:`)
        deployed.push(made)
        return made.store
      }, deployment)
    })
  }
}

const WRITES = new Set(['set', 'create', 'replace', 'delete', 'add', 'remove', 'publish'])

/** A store that tells what was written to it: `set session:…`, one entry a call. */
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
