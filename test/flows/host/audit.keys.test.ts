import { afterAll, beforeAll, expect, it } from 'vitest'
import { startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('the audit trail of signing keys', (makeStore) => {
  let host: Host
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
    await host.gatehouse.ready()
  })
  afterAll(() => host.close())

  const by = { actor: 'ann', address: '192.0.2.1' }
  const entries = async (actor: string) => (await host.gatehouse.audit.list({ actor })).items.toReversed()

  it('a rotation and a revocation of keys are recorded with their actor', async () => {
    const [before] = await host.gatehouse.signingKeys.list()
    await host.gatehouse.signingKeys.rotate(by)
    await host.gatehouse.signingKeys.revoke(before?.kid ?? '', by)
    const own = await entries('ann')
    expect(own.filter(({ name }) => name === 'key.activated')).toHaveLength(2)
    expect(own.filter(({ name }) => name === 'key.revoked')).toMatchObject([{ keyId: before?.kid, ...by }])
    expect(JSON.stringify(own)).not.toContain('"d"')
  })
})
