import { randomUUID } from 'node:crypto'
import { createGateway, type Gateway } from 'koa-gatehouse/gateway'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { products } from '../../fixtures/products.ts'
import { compileHostProgram, type HostProcess, type HostProgram } from '../../support/host-process.ts'
import { hostRequests } from '../../support/host-requests.ts'
import { startHost, type Host } from '../../support/host.ts'
import { describeEachShared } from '../../support/stores.ts'
import { TOOLS } from './setup.ts'

const RESOURCES = { [TOOLS]: { products: ['payments'], title: 'Tools' } }

/** The bound within which every process rejects a revoked token, in milliseconds; usually it takes some milliseconds. */
const BOUND_MS = 3000

describeEachShared('two resources in two processes', (deploy, deployment) => {
  let program: HostProgram
  /** This process guards the API. */
  let host: Host
  /** A process that guards the resource. */
  let child: HostProcess
  /** Gateways without a gatehouse, which know the products of the resource alone. */
  let alone: Record<'store' | 'http', Gateway>
  let key: { client_id: string; client_secret: string }

  beforeAll(async () => {
    const data = randomUUID()
    program = await compileHostProgram()
    host = await startHost({ store: deploy(data), gatehouse: { resources: RESOURCES } })
    await host.gatehouse.ready()
    const { issuer, audience } = host
    child = await program.start({
      deployment,
      keyPrefix: `${data}:`,
      issuer,
      audience,
      resources: RESOURCES,
      guarded: TOOLS,
    })
    const server = await host.createApiKey([])
    await host.gatehouse.apiKeys.setResourceServer(server.client_id, true, { resources: [TOOLS] })
    const { payments } = products
    const open = (revocations: NonNullable<Parameters<typeof createGateway>[0]['revocations']>) =>
      createGateway({ issuer, audience: TOOLS, products: { payments }, revocations })
    alone = {
      store: open({ store: deploy(data) }),
      http: open({ clientId: server.client_id, clientSecret: server.client_secret, pollIntervalSeconds: 1 }),
    }
    await Promise.all([alone.store.ready(), alone.http.ready()])
    key = await host.createApiKey()
  }, 120_000)
  afterAll(async () => {
    await Promise.all(Object.values(alone ?? {}).map((gateway) => gateway.close()))
    await host?.close()
    await program?.remove()
  })

  const tokenFor = async (resource: string) => {
    const { body } = await host.requestDirectToken(key, { resource })
    return String(body['access_token'])
  }
  const atChild = (token: string) =>
    hostRequests({ fetch, issuer: child.address, audience: `http://localhost:${child.port}/mcp` }).call(
      'GET /payments/list',
      token,
    )
  const atGateway = (gateway: Gateway, token: string) =>
    gateway.authenticate({
      method: 'GET',
      url: '/mcp/payments/list',
      headers: { authorization: `Bearer ${token}` },
    })
  const other = expect.stringContaining('another audience')

  it('each process accepts the tokens of its own resource only', async () => {
    const [api, tools] = [await tokenFor(host.audience), await tokenFor(TOOLS)]
    expect((await host.call('GET /payments/list', api)).status).toBe(200)
    expect((await atChild(tools)).status).toBe(200)
    for (const gateway of Object.values(alone))
      expect(await atGateway(gateway, tools)).toMatchObject({ ok: true })

    const wrong = await host.call('GET /payments/list', tools)
    expect([wrong.status, wrong.body]).toEqual([401, { error: 'invalid_token', error_description: other }])
    const wrongAtChild = await atChild(api)
    expect([wrongAtChild.status, wrongAtChild.body]).toEqual([
      401,
      { error: 'invalid_token', error_description: other },
    ])
    for (const gateway of Object.values(alone)) {
      expect(await atGateway(gateway, api)).toMatchObject({ ok: false, status: 401, body: other })
    }
  })

  it('a revocation of a token, and of all tokens of a client, reaches the gateways of both resources', async () => {
    const isRevoked = async (api: string, tools: string) => {
      const answers = [
        (await host.call('GET /payments/list', api)).status,
        (await atChild(tools)).status,
        ...(await Promise.all(Object.values(alone).map((gateway) => atGateway(gateway, tools)))).map(
          (answer) => ('status' in answer ? answer.status : 200),
        ),
      ]
      return answers.every((status) => status === 401)
    }
    const revoked = async (api: string, tools: string) =>
      vi.waitFor(async () => expect(await isRevoked(api, tools)).toBe(true), BOUND_MS)

    const [api, tools] = [await tokenFor(host.audience), await tokenFor(TOOLS)]
    expect(await isRevoked(api, tools)).toBe(false)
    await host.gatehouse.tokens.revoke(api)
    await host.gatehouse.tokens.revoke(tools)
    await revoked(api, tools)

    const [nextApi, nextTools] = [await tokenFor(host.audience), await tokenFor(TOOLS)]
    expect((await atChild(nextTools)).status).toBe(200)
    await host.gatehouse.tokens.revokeAll({ clientId: key.client_id })
    await revoked(nextApi, nextTools)
  })
})
