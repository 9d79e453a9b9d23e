import { Readable } from 'node:stream'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { importRegistry } from 'koa-gatehouse/backup'
import type { Store } from 'koa-gatehouse'
import { faultyStore } from '../../support/faulty-store.ts'
import { startHost, type Host } from '../../support/host.ts'
import { exported } from './setup.ts'

let file: string[]
let host: Host
const hosts: Host[] = []

async function begin(store: Store): Promise<void> {
  host = await startHost({ store })
  hosts.push(host)
  await host.gatehouse.ready()
}
afterEach(() => Promise.all(hosts.splice(0).map((each) => each.close())))

beforeAll(async () => {
  await begin(memoryStore())
  await host.createApiKey()
  const { client_id: changed } = await host.createApiKey()
  await host.gatehouse.apiKeys.removeOperation(changed, 'invoices:read')
  await host.createApplication()
  await host.gatehouse.apiKeys.delete((await host.createApiKey()).client_id)
  file = await exported(host)
})

const importing = (lines: readonly string[]) => importRegistry(host.gatehouse, Readable.from(lines))
const isUnavailable = expect.objectContaining({ code: 'ERR_STORE_UNAVAILABLE' })

const sorted = (lines: readonly string[]) => lines.slice(1).toSorted()
const state = async () => {
  const lines = await exported(host)
  return sorted(lines).filter((line) => !/"is":"(products|signing-keys|end)"/.test(line))
}

it('an import continues after a short outage of the store, and rejects after a long outage', async () => {
  const faulty = faultyStore(memoryStore())
  await begin(faulty.store)
  faulty.arm('create client', 'rejected')
  expect(await importing(file)).toMatchObject({ apiKeys: 2, applications: 1 })
  faulty.goAway()
  await expect(importing(file)).rejects.toThrow(isUnavailable)
  faulty.comeBack()
})

it('an import that failed is completed when it is repeated, whichever call of the store failed', async () => {
  const counting = faultyStore(memoryStore())
  await begin(counting.store)
  counting.arm()
  await importing(file)
  const count = counting.calls.length
  const whole = await state()
  expect(count).toBeGreaterThan(20)
  await host.close()
  for (const fault of ['rejected', 'unanswered'] as const) {
    for (let at = 0; at < count; at += 1) {
      const faulty = faultyStore(memoryStore())
      await begin(faulty.store)
      faulty.arm(at, fault)
      await importing(file).catch((error: unknown) => expect(error).toEqual(isUnavailable))
      faulty.comeBack()
      expect(await importing(file)).toMatchObject({ conflicts: [] })
      expect({ fault, at, state: await state() }).toEqual({ fault, at, state: whole })
      await host.close()
    }
  }
})
