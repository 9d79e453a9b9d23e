import cluster from 'node:cluster'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createGatehouse, type Store } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { silentLogger } from '../../../src/host/logger.ts'
import { products } from '../../fixtures/products.ts'
import { authorizationUrl, SECRET, signInAs, startHost, type HostOptions } from '../../support/host.ts'

async function hostWith(options: HostOptions) {
  const host = await startHost(options)
  onTestFinished(host.close)
  return host
}

describe('options that set limits', () => {
  it('maxSignInAttempts limits the password attempts on the built-in page', async () => {
    const host = await hostWith({ gatehouse: { maxSignInAttempts: 2 } })
    const { client_id } = await host.createApplication()
    const browser = host.browser()
    const page = await browser.open(authorizationUrl(host, client_id))
    const attempt = (password: string) => signInAs(browser, page, 'alice', password)
    expect((await attempt('wrong')).status).toBe(401)
    expect((await attempt('wrong')).status).toBe(401)
    const third = await attempt('correct')
    expect(third.status).toBe(429)
    const wait = Number(third.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(600)
    expect(wait).toBeLessThanOrEqual(900)
  })

  it('maxSignInAttempts limits the attempts of one address with different names, and a sign-in that succeeds does not count', async () => {
    const host = await hostWith({ gatehouse: { maxSignInAttempts: 2 } })
    const { client_id } = await host.createApplication()
    const attempt = async (user: string, password: string) => {
      const browser = host.browser()
      return signInAs(browser, await browser.open(authorizationUrl(host, client_id)), user, password)
    }
    for (let index = 0; index < 19; index += 1) {
      expect((await attempt(`person ${index}`, 'one password')).status).toBe(401)
      expect((await attempt('alice', 'correct')).status).toBe(200)
    }
    expect((await attempt('person 19', 'one password')).status).toBe(401)
    const page = await attempt('person 20', 'one password')
    expect(page.status).toBe(429)
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(60)
    expect((await attempt('bob', 'correct')).status).toBe(429)
  })

  it('startTimeoutMs limits how long token requests and API calls wait until gatehouse has started', async () => {
    const ping: Store['ping'] = () => new Promise(() => {})
    const store: Store = { ...memoryStore(), ping }
    const host = await hostWith({ store, gatehouse: { startTimeoutMs: 30, storeTimeoutMs: 60_000 } })
    const started = performance.now()
    const [token, call] = await Promise.all([
      host.token({ grant_type: 'client_credentials', client_id: 'a', client_secret: 'b' }),
      host.call('GET /invoices/list', 'a'),
    ])
    expect(performance.now() - started).toBeLessThan(1000)
    expect([token.status, call.status]).toEqual([503, 503])
    expect(token.headers.get('retry-after')).toBe('1')
    expect(host.reached).toEqual([])
  })

  it('maxCachedTokens 0 switches the token cache off, and calls still work', async () => {
    const host = await hostWith({ gatehouse: { maxCachedTokens: 0 } })
    const { body } = await host.requestDirectToken(await host.createApiKey())
    const token = String(body['access_token'])
    expect((await host.call('GET /invoices/list', token)).status).toBe(200)
    expect((await host.call('GET /invoices/list', token)).status).toBe(200)
  })
})

describe('the memory store', () => {
  const lines = (store: Store) => {
    const log = vi.fn<(level: string, message: string) => void>()
    const gatehouse = createGatehouse({
      issuer: 'https://example.com/auth',
      audience: 'https://example.com/api',
      secret: SECRET,
      store,
      kycLevels: ['none', 'basic', 'verified'],
      products,
      accounts: { find: (id) => ({ id }) },
      logger: {
        ...silentLogger,
        info: (_details, message) => log('info', message),
        warn: (_details, message) => log('warn', message),
      },
    })
    gatehouse.middleware()
    gatehouse.gateway.middleware()
    onTestFinished(() => gatehouse.close())
    return log.mock.calls
  }

  it('gatehouse logs once that a store in memory loses its data when the process ends', () => {
    const message = 'the store is in memory: its data is lost when this process ends'
    expect(lines(memoryStore())).toEqual([['info', message]])
    expect(lines({ ...memoryStore(), volatile: false })).toEqual([])
  })

  it('gatehouse warns once that a store in memory is not shared by the workers of a cluster', () => {
    Object.assign(cluster, { isWorker: true })
    onTestFinished(() => void Object.assign(cluster, { isWorker: false }))
    const message = 'the store is in the memory of this worker: other workers of the cluster have other data'
    expect(lines(memoryStore())).toEqual([['warn', message]])
    expect(lines({ ...memoryStore(), volatile: false })).toEqual([])
  })
})
