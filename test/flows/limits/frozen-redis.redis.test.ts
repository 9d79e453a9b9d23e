import { expect, it } from 'vitest'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { limitsOnRedis } from './limits-on-redis.ts'

describeWithRedis('limits on a Redis that fails', () => {
  const { client, host, tokenOf, itStaysFast } = limitsOnRedis()

  itStaysFast(5000)

  it('if Redis rejects only the counters, the rest of the store stays available', async () => {
    const key = await host().createApiKey(['invoices'])
    const token = await tokenOf(key)
    await client().call('ACL', 'SETUSER', 'default', '-time')
    for (let call = 0; call < 300; call += 1) {
      expect((await host().call('GET /invoices/list', token)).status).toBe(200)
      if (call % 10 === 0) expect(await host().gatehouse.apiKeys.find(key.client_id)).toBeDefined()
    }
  }, 30_000)
})
