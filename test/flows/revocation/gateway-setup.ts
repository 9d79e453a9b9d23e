import { randomUUID } from 'node:crypto'
import { createGateway, type Gateway, type GatewayOptions, type Principal } from 'koa-gatehouse/gateway'
import { expect, vi } from 'vitest'
import { silentLogger } from '../../../src/host/logger.ts'
import { products } from '../../fixtures/products.ts'
import { startHost, type HostOptions } from '../../support/host.ts'
import type { MakeStore } from '../../support/stores.ts'

/**
 * Starts a host and creates an API key that is a resource server. The result has functions that open
 * gateways, as APIs in other processes do.
 */
export async function startWithGateways(makeStore: MakeStore, options: HostOptions = {}) {
  const data = randomUUID()
  const host = await startHost({ store: makeStore(data), ...options })
  const { client_id: clientId, client_secret: clientSecret } = await host.createApiKey([])
  await host.gatehouse.apiKeys.setResourceServer(clientId, true)
  const resourceServer = { clientId, clientSecret }
  const gateways: Gateway[] = []
  const log = vi.fn<(details: object, message: string) => void>()

  function open(revocations: GatewayOptions['revocations']): Gateway {
    const { issuer, audience } = host
    const logger = { ...silentLogger, warn: log, error: log }
    const gateway = createGateway({ issuer, audience, products, revocations, logger })
    gateways.push(gateway)
    return gateway
  }

  return {
    host,
    resourceServer,
    /** The warnings and errors that the gateways log. */
    log,
    /** Opens the store of the host over a separate connection. */
    sameStore: () => makeStore(data),
    open,
    following: {
      'through the store': () => open({ store: makeStore(data), pollIntervalSeconds: 1 }),
      'over HTTP': () => open({ ...resourceServer, pollIntervalSeconds: 1 }),
    },
    async directToken(key?: { client_id: string; client_secret: string }): Promise<string> {
      const client = key ?? (await host.createApiKey(['invoices']))
      const { body } = await host.requestDirectToken(client)
      return String(body['access_token'])
    },
    async close() {
      await Promise.all(gateways.map((gateway) => gateway.close()))
      await host.close()
    },
  }
}

export type HostAndGateways = Awaited<ReturnType<typeof startWithGateways>>

export function call(gateway: Gateway, token: string) {
  const headers = { authorization: `Bearer ${token}` }
  return gateway.authenticate({ method: 'GET', url: '/api/invoices/list', headers })
}

/**
 * Authenticates an API call.
 *
 * @returns the principal of the token
 * @throws if the gateway rejects the token
 */
export async function principalOf(gateway: Gateway, token: string): Promise<Principal> {
  const outcome = await call(gateway, token)
  if (!outcome.ok) throw new Error(outcome.body)
  return outcome.principal
}

/** Waits until the gateway rejects a token as revoked. */
export async function waitUntilRevoked(gateway: Gateway, token: string): Promise<void> {
  await vi.waitFor(
    async () =>
      expect(await call(gateway, token)).toMatchObject({
        ok: false,
        status: 401,
        error: 'invalid_token',
        body: expect.stringContaining('revoked'),
      }),
    { timeout: 3000, interval: 5 },
  )
}
