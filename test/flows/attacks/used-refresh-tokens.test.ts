import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { connect, startHost } from '../../support/host.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('a request with a used refresh token and a wrong client secret reads the refresh token family once', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const memory = memoryStore()
  let reads = 0
  const store = {
    ...memory,
    get(key: string) {
      if (key.startsWith('refresh-family:')) reads += 1
      return memory.get(key)
    },
  }
  const host = await startHost({ store })
  const application = await host.createApplication()
  const { refresh_token: used } = await connect(host, application)
  const refresh = (secret: string) => host.refresh({ ...application, client_secret: secret }, used)
  expect((await refresh(application.client_secret)).status).toBe(200)

  // A paused store may apply a write late, and gatehouse rolls back late writes. One second after the first
  // use of the refresh token, gatehouse cannot yet know whether the record of this use is a late write.
  vi.setSystemTime(Date.now() + 1000)
  reads = 0
  expect((await refresh('wrong')).status).toBe(401)
  await delay(400)
  expect(reads).toBe(1)
  // With the right secret, gatehouse polls the family for some seconds, because the write may still be
  // rolled back. If the write stays, the second use counts as theft.
  const rejected = refresh(application.client_secret)
  await vi.waitFor(() => expect(reads).toBeGreaterThan(4), { interval: 20 })
  await host.gatehouse.grants.revokeAll({ accountId: 'alice' })
  expect(await rejected).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  await host.close()
})
