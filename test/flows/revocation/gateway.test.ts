import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { connect } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import { admitted, call, rejectedSoon, startWithGateways, type HostAndGateways } from './gateway-setup.ts'

describeEachStore('an API in another process', (makeStore) => {
  let all: HostAndGateways
  beforeEach(async () => {
    all = await startWithGateways(makeStore)
  })
  afterEach(() => all.close())

  describe.each(['by the store', 'over HTTP'] as const)('that is told %s', (way) => {
    it('rejects what is revoked, ends its streams, and lets others be', async () => {
      const { host } = all
      const gateway = all.told[way]()
      const key = await host.createApiKey(['invoices'])
      const [token, other, ofKey] = [
        await all.directToken(),
        await all.directToken(),
        await all.directToken(key),
      ]
      const { access_token: delegated } = await connect(host, await host.createApplication(), {
        parameters: { scope: 'invoices:read' },
      })
      const { signal } = await admitted(gateway, token)
      const bystander = await admitted(gateway, other)
      const { grantId = '' } = await admitted(gateway, delegated)
      await admitted(gateway, ofKey)

      await host.gatehouse.tokens.revoke(token)
      await host.gatehouse.grants.revoke(grantId)
      await host.gatehouse.apiKeys.disable(key.client_id)
      for (const dead of [token, delegated, ofKey]) await rejectedSoon(gateway, dead)
      expect(await call(gateway, token)).toMatchObject({
        headers: { 'WWW-Authenticate': expect.stringContaining('error="invalid_token"') },
      })
      await vi.waitFor(() => expect(signal.reason).toMatchObject({ code: 'ERR_TOKEN_REVOKED' }))
      await admitted(gateway, other)
      expect(bystander.signal.aborted).toBe(false)
      expect(await gateway.health()).toMatchObject({
        ready: true,
        revocations: { enabled: true, stale: false },
      })
    })

    it('takes what new keys sign, also when two are revoked within the cool-down of the keys', async () => {
      const { signingKeys } = all.host.gatehouse
      const gateway = all.told[way]()
      await admitted(gateway, await all.directToken())
      for (const attempt of ['first', 'second']) {
        const token = await all.directToken()
        const current = (await signingKeys.list()).find(
          (key) => key.alg === 'ES256' && key.state === 'current',
        )
        await signingKeys.revoke(current?.kid ?? attempt)
        await rejectedSoon(gateway, token)
        const next = await all.directToken()
        await vi.waitFor(() => admitted(gateway, next), 2000)
      }
    })

    it('knows from its start what was revoked before', async () => {
      const token = await all.directToken()
      await all.host.gatehouse.tokens.revoke(token)
      expect(await call(all.told[way](), token)).toMatchObject({ ok: false, status: 401 })
    })
  })

  it('hears from the store at once, long before it would look again', async () => {
    const gateway = all.open({ store: all.sameStore(), pollIntervalSeconds: 60 })
    const token = await all.directToken()
    await admitted(gateway, token)
    await all.host.gatehouse.tokens.revoke(token)
    await rejectedSoon(gateway, token)
  })

  it('finds by looking again what no message told', async () => {
    const deaf = { ...all.sameStore(), subscribe: async () => async () => {} }
    const gateway = all.open({ store: deaf, pollIntervalSeconds: 1 })
    const token = await all.directToken()
    await admitted(gateway, token)
    await all.host.gatehouse.tokens.revoke(token)
    await admitted(gateway, token)
    await rejectedSoon(gateway, token)
  })

  it('that nobody tells serves a revoked token until it expires, and says so', async () => {
    const gateway = all.open(undefined)
    const token = await all.directToken()
    await all.host.gatehouse.tokens.revoke(token)
    await admitted(gateway, token)
    expect(await gateway.health()).toMatchObject({ revocations: { enabled: false } })
  })
})
