import { expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { startConsole } from './setup.ts'

it('the console of a host that manages API keys and applications has no pages for them, and no links to them', async () => {
  const host = await startConsole({
    store: memoryStore(),
    gatehouse: { registry: { find: () => undefined, verifySecret: () => false } },
  })
  const visitor = host.visit('acme')
  for (const path of ['', '/connected-applications', '/activity', '/token-inspector']) {
    const { status, body } = await visitor.get(`/console${path}`)
    expect(status).toBe(200)
    expect(body).not.toMatch(/\/console\/(api-keys|applications)["/]/)
  }
  for (const path of ['/api-keys', '/api-keys/new', '/applications', '/applications/ledger/guide']) {
    expect((await visitor.get(`/console${path}`)).status).toBe(404)
  }
  expect(host.errors).toEqual([])
  await host.close()
})
