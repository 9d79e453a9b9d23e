// Also runs on: Redis
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { connect } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import {
  principalOf,
  call,
  waitUntilRevoked,
  startWithGateways,
  type HostAndGateways,
} from './gateway-setup.ts'

describeEachStore('the gateway of an API in another process', (makeStore) => {
  let all: HostAndGateways
  beforeEach(async () => {
    all = await startWithGateways(makeStore)
  })
  afterEach(() => all.close())

  describe.each(['through the store', 'over HTTP'] as const)(
    'a gateway that receives revocations %s',
    (way) => {
      it('a gateway rejects revoked tokens, ends their watches, and leaves other tokens valid', async () => {
        const { host } = all
        const gateway = all.following[way]()
        const key = await host.createApiKey(['invoices'])
        const [token, other, ofKey] = [
          await all.directToken(),
          await all.directToken(),
          await all.directToken(key),
        ]
        const { access_token: delegated } = await connect(host, await host.createApplication(), {
          parameters: { scope: 'invoices:read' },
        })
        const [onEnd, onOtherEnd] = [vi.fn(), vi.fn()]
        gateway.watch(await principalOf(gateway, token), onEnd)
        gateway.watch(await principalOf(gateway, other), onOtherEnd)
        const { grantId = '' } = await principalOf(gateway, delegated)
        await principalOf(gateway, ofKey)

        await host.gatehouse.tokens.revoke(token)
        await host.gatehouse.grants.revoke(grantId)
        await host.gatehouse.apiKeys.disable(key.client_id)
        for (const revoked of [token, delegated, ofKey]) await waitUntilRevoked(gateway, revoked)
        expect(await call(gateway, token)).toMatchObject({
          headers: { 'WWW-Authenticate': expect.stringContaining('error="invalid_token"') },
        })
        await vi.waitFor(() => expect(onEnd.mock.calls).toEqual([['revoked']]))
        await principalOf(gateway, other)
        expect(onOtherEnd).not.toHaveBeenCalled()
        expect(await gateway.health()).toMatchObject({
          ready: true,
          revocations: { enabled: true, stale: false },
        })
      })

      it('a gateway rejects tokens that were revoked before the gateway started', async () => {
        const token = await all.directToken()
        await all.host.gatehouse.tokens.revoke(token)
        expect(await call(all.following[way](), token)).toMatchObject({ ok: false, status: 401 })
      })
    },
  )

  it('a gateway accepts tokens of the new key after each of two key revocations, even within 30 seconds', async () => {
    const { signingKeys } = all.host.gatehouse
    const gateway = all.following['through the store']()
    for (const attempt of ['first', 'second']) {
      const token = await all.directToken()
      // The gateway knows the token: without the revoked key, it could not name the reason for another one.
      await principalOf(gateway, token)
      const current = (await signingKeys.list()).find((key) => key.alg === 'ES256' && key.state === 'current')
      await signingKeys.revoke(current?.kid ?? attempt)
      await waitUntilRevoked(gateway, token)
      const next = await all.directToken()
      await vi.waitFor(() => principalOf(gateway, next), 2000)
    }
  })

  it('a message of the store makes a gateway reject a revoked token long before the next poll', async () => {
    const gateway = all.open({ store: all.sameStore(), pollIntervalSeconds: 60 })
    const token = await all.directToken()
    await principalOf(gateway, token)
    await all.host.gatehouse.tokens.revoke(token)
    await waitUntilRevoked(gateway, token)
  })

  it('a gateway without the option revocations accepts a revoked token, and health() reports that revocations are not enabled', async () => {
    const gateway = all.open(undefined)
    const token = await all.directToken()
    await all.host.gatehouse.tokens.revoke(token)
    await principalOf(gateway, token)
    expect(await gateway.health()).toMatchObject({ revocations: { enabled: false } })
  })
})
