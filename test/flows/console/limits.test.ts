import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { createConsole } from '../../../src/console.ts'
import { createLimits } from '../../../src/limits.ts'
import { textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

describe('limits in the console', () => {
  let host: ConsoleHost
  beforeEach(async () => {
    host = await startConsole({
      store: memoryStore(),
      mount(app, gatehouse) {
        const limits = createLimits(gatehouse, { perMinute: 100, perDay: 5000 })
        app.use(createConsole(gatehouse, { limits }))
      },
    })
  })
  afterEach(() => host.close())

  it('an operator gives a client limits of its own, and its owner sees them', async () => {
    const key = await host.createApiKey()
    const [owner, operator] = [host.visit('acme'), host.visit('root')]
    expect((await owner.open(`/console/api-keys/${key.client_id}`)).body).toContain(
      '100 a minute and 5,000 a day',
    )
    const page = await operator.open(`/console/operator/clients/${key.client_id}`)
    const saved = await operator.submit(page, 'limits', { perMinute: '7', perDay: '' })
    expect(saved.body).toContain('The limits were saved.')
    expect((await host.gatehouse.apiKeys.find(key.client_id))?.limits).toEqual({ perMinute: 7 })
    expect((await owner.open(`/console/api-keys/${key.client_id}`)).body).toContain('7 a minute')
    const { body } = await host.requestDirectToken(key)
    const { headers } = await host.call('GET /invoices/list', String(body['access_token']))
    expect(headers.get('RateLimit-Policy')).toBe('"minute";q=7;w=60')
    for (const [visitor, part] of [
      [owner, `/console/api-keys/${key.client_id}`],
      [operator, `/console/operator/clients/${key.client_id}`],
    ] as const) {
      const { body } = await visitor.open(`${part}/restrictions`)
      expect(textOf(body)).toMatch(/Last minute about [01] of 7 calls/)
      expect(textOf(body)).not.toContain('Last 24 hours')
      expect(textOf(body)).not.toContain('Too many calls')
    }
    for (let calls = 0; calls < 7; calls += 1)
      await host.call('GET /invoices/list', String(body['access_token']))
    const full = await owner.open(`/console/api-keys/${key.client_id}/restrictions`)
    expect(textOf(full.body)).toContain('about 7 of 7 calls Too many calls (429)')
    const removed = await operator.submit(saved, 'limits', { perMinute: '', perDay: '' })
    expect(removed.body).toContain('The limits were saved.')
    expect((await host.gatehouse.apiKeys.find(key.client_id))?.limits).toBeUndefined()
    const trail = (await host.gatehouse.audit.list({ clientId: key.client_id })).items
    expect(trail.map(({ change }) => change)).toContain('limits')
  })

  it('a limit that is no number of calls is rejected, and stays in the form', async () => {
    const key = await host.createApiKey()
    const operator = host.visit('root')
    const page = await operator.open(`/console/operator/clients/${key.client_id}`)
    for (const perMinute of ['0', '-1', '1.5', 'many', '1000000001']) {
      const answer = await operator.submit(page, 'limits', { perMinute, perDay: '5' })
      expect(answer.body).toContain(`value="${perMinute}"`)
      expect(answer.body).toContain('Calls a minute')
    }
    expect((await host.gatehouse.apiKeys.find(key.client_id))?.limits).toBeUndefined()
  })
})
