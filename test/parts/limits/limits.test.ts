import { expect, it, onTestFinished, vi } from 'vitest'
import { createGateway } from '../../../src/gateway.ts'
import { silentLogger } from '../../../src/host/logger.ts'
import { limitCalls } from '../../../src/limits.ts'
import { createTestIssuer } from '../../../src/testing/index.ts'
import { products } from '../../fixtures/products.ts'

it('limitCalls() logs by the logger of its gateway if the gateway cannot count, and accepts the calls', async () => {
  const audience = 'https://example.com/api'
  const service = await createTestIssuer({ audience })
  onTestFinished(() => service.close())
  const warn = vi.fn()
  const gateway = createGateway({
    issuer: service.issuer,
    audience,
    products,
    logger: { ...silentLogger, warn },
  })
  onTestFinished(() => gateway.close())
  // The counters of the gateway take their clock when they are created.
  const { now } = Date
  Date.now = () => {
    throw new Error('no clock')
  }
  limitCalls(gateway, { perMinute: 1 })
  Date.now = now

  const token = await service.mintToken({ accountId: 'acme', scopes: ['invoices:read'] })
  const call = { method: 'GET', url: '/api/invoices/list', headers: { authorization: `Bearer ${token}` } }
  expect(await gateway.authenticate(call)).toMatchObject({ ok: true })
  expect(warn).toHaveBeenCalledExactlyOnceWith(
    { err: new Error('no clock') },
    expect.stringContaining('calls are counted in this process alone'),
  )
})
