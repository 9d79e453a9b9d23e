// Also runs on: Redis
import { createGateway } from 'koa-gatehouse/gateway'
import { expect, it } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { silentLogger } from '../../../src/host/logger.ts'
import { products } from '../../fixtures/products.ts'
import { startHost } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

/** A store whose clock is three minutes behind. */
function slowClock(store: Store): Store {
  const inspect = async () => ({ checks: [], ...(await store.inspect?.()), time: Date.now() - 180_000 })
  return { ...store, inspect }
}

function createLog() {
  const lines: object[] = []
  const logger = {
    ...silentLogger,
    warn: (details: object, message: string) => lines.push({ ...details, message }),
  }
  return { lines, logger }
}

const DIFFERS = {
  // The time that a busy store needs for its answer does not count as a difference.
  secondsAhead: expect.closeTo(180, -1) as number,
  message: 'the clock of this process differs from the clock of the store',
}

describeEachStore('a process whose clock is three minutes ahead', (makeStore) => {
  it('a gatehouse logs once that its clock differs from the clock of the store', async () => {
    const { lines, logger } = createLog()
    const host = await startHost({ store: slowClock(makeStore()), gatehouse: { logger } })
    await host.gatehouse.ready()
    await host.gatehouse.health()
    await host.gatehouse.ready()
    expect(lines).toEqual([DIFFERS])
    await host.close()
  })

  it('a gateway alone logs once that its clock differs from the clock of the store', async () => {
    const data = 'gateway alone'
    const { issuer, audience, close } = await startHost({ store: makeStore(data) }).then(async (host) => {
      await host.gatehouse.ready()
      return host
    })
    const { lines, logger } = createLog()
    const revocations = { store: slowClock(makeStore(data)) }
    const gateway = createGateway({ issuer, audience, products, revocations, logger })
    await gateway.ready()
    await gateway.health()
    await gateway.ready()
    expect(lines).toEqual([DIFFERS])
    await gateway.close()
    await close()
  })
})
