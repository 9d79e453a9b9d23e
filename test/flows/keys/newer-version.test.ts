import { expect, it, onTestFinished } from 'vitest'
import { startHost } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const RING = 'signing-keys:ring'

describeEachStore('signing keys written by a newer version', (makeStore) => {
  it('if a newer version wrote the signing keys, the start fails with an error that says what to do, and the keys stay unchanged', async () => {
    const store = makeStore()
    const newer = JSON.stringify({ v: 2, id: 'newer', keys: [] })
    await store.set(RING, newer)
    const { gatehouse, close } = await startHost({ store })
    onTestFinished(close)
    await expect(gatehouse.ready({ timeoutMs: 2000 })).rejects.toMatchObject({
      code: 'ERR_STORE_CORRUPT',
      message: expect.stringMatching(
        /"signing-keys:ring" has schema version 2, .* reads up to 1: start the newer version of koa-gatehouse/,
      ),
    })
    const { ready, checks } = await gatehouse.health()
    expect(ready).toBe(false)
    expect(checks.find(({ name }) => name === 'start')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('schema version 2'),
    })
    expect(await store.get(RING)).toBe(newer)
  })
})
