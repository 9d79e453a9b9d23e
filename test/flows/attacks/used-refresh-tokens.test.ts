import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { connect, startHost } from '../../support/host.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('a refresh token that was used, without the secret of its application, costs one look at its family', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const memory = memoryStore()
  let looks = 0
  const store = {
    ...memory,
    get(key: string) {
      if (key.startsWith('refresh-family:')) looks += 1
      return memory.get(key)
    },
  }
  const host = await startHost({ store })
  const application = await host.createApplication()
  const { refresh_token: used } = await connect(host, application)
  const refresh = (secret: string) =>
    host.token({
      client_id: application.client_id,
      client_secret: secret,
      grant_type: 'refresh_token',
      refresh_token: used,
    })
  expect((await refresh(application.client_secret)).status).toBe(200)

  // Late enough for the exchange to be one that its store may have carried out late.
  vi.setSystemTime(Date.now() + 1000)
  looks = 0
  expect((await refresh('wrong')).status).toBe(401)
  await delay(400)
  expect(looks).toBe(1)
  // With the secret it is looked at again, for seconds, before it counts as theft.
  const rejected = refresh(application.client_secret)
  await vi.waitFor(() => expect(looks).toBeGreaterThan(4), { interval: 20 })
  await host.gatehouse.grants.revokeAll({ accountId: 'alice' })
  expect(await rejected).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  await host.close()
})
