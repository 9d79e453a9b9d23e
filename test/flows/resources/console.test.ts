import { afterAll, beforeAll, expect, it } from 'vitest'
import { authorize, connect } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import { startConsole, type ConsoleHost } from '../console/setup.ts'
import { audienceOf, BOTH, PRODUCTS, RESOURCES, TOOLS } from './setup.ts'

const textOf = (body: string) => body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

describeEachStore('the console with several resources', (makeStore) => {
  let host: ConsoleHost
  beforeAll(async () => {
    host = await startConsole({
      store: makeStore(),
      gatehouse: { products: PRODUCTS, resources: RESOURCES },
    })
  })
  afterAll(() => host.close())

  it('connected applications say what an application may do at each resource, and disconnecting ends both', async () => {
    const application = await host.createApplication({ products: BOTH })
    const { browser, open, submit } = host.visit('alice')
    const scope = { scope: 'openid payments:list' }
    const api = await connect(host, application, { browser, parameters: scope })
    const tools = await connect(host, application, {
      browser,
      parameters: { scope: 'tools:use', resource: TOOLS },
    })
    const page = await open('/console/connected-applications')
    expect(textOf(page.body)).toMatch(/It may: .*Read your payments .*At Example tools it may: Use the tools/)
    expect(page.body.match(/confirm=disconnect/g)).toHaveLength(1)

    await submit(page, 'disconnect', { application: application.client_id })
    for (const { refresh_token } of [api, tools]) {
      expect((await host.refresh(application, refresh_token)).body['error']).toBe('invalid_grant')
    }
    const { pages } = await authorize(host, application.client_id, {
      browser,
      parameters: { scope: 'tools:use', resource: TOOLS },
    })
    expect(pages).toHaveLength(2)
  })

  it('connected applications show no permission of an operation that the person lost', async () => {
    const application = await host.createApplication({ products: BOTH })
    const { browser, open } = host.visit('bob')
    await connect(host, application, { browser, parameters: { scope: 'tools:use', resource: TOOLS } })
    host.accounts.set('bob', { id: 'bob', operations: ['invoices:read'] })
    const { body } = await open('/console/connected-applications')
    expect(textOf(body)).toContain('It may do nothing at the moment.')
    expect(body).not.toContain('Example tools')
    host.accounts.set('bob', { id: 'bob' })
  })

  it('the token inspector accepts the tokens of every resource, and names the address of their calls', async () => {
    const key = await host.createApiKey(BOTH)
    for (const resource of [host.audience, TOOLS]) {
      const { body } = await host.requestDirectToken(key, { resource })
      const token = String(body['access_token'])
      expect(audienceOf(token)).toBe(resource)
      const { open, submit } = host.visit('acme')
      const answer = await submit(await open('/console/token-inspector'), 'inspect', { token })
      expect(textOf(answer.body)).toContain('This token works.')
      expect(textOf(answer.body)).toContain(`All paths are below ${resource} .`)
    }
  })
})
