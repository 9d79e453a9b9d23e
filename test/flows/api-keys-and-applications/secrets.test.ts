import { afterAll, beforeAll, expect, it } from 'vitest'
import { isSecret } from 'koa-gatehouse'
import { connect, startHost, type Host } from '../../support/host.ts'
import { basic, type Client } from '../../support/host-requests.ts'
import { describeEachStore } from '../../support/stores.ts'

const HOUR = 3600

describeEachStore('the secrets of a client', (makeStore) => {
  let host: Host
  const log: Record<string, unknown>[] = []
  beforeAll(async () => {
    const logger = {
      info() {},
      warn() {},
      error() {},
      debug: (fields: object, text?: string) =>
        text === 'the token endpoint rejected a request' && log.push(fields as Record<string, unknown>),
    }
    host = await startHost({ store: makeStore(), gatehouse: { secretPrefix: 'acme_', logger } })
  })
  afterAll(() => host.close())

  const serviceOf = (clientId: string) =>
    clientId.startsWith('key_') ? host.gatehouse.apiKeys : host.gatehouse.applications

  it.each(['createApiKey', 'createApplication'] as const)(
    '%s: each has a hint, and the time of its last use',
    async (create) => {
      const client = await host[create]()
      const { client_id: id, client_secret: first } = client
      const service = serviceOf(id)
      expect(isSecret(first, { prefix: 'acme_' })).toBe(true)
      const { clientSecret: second } = await service.rotateSecret(id)
      const hintOf = (secret: string) => `acme_…${secret.slice(-4)}`
      const listed = async () =>
        (await service.listSecrets(id)).map(({ hint, lastUsedAt }) => [hint, lastUsedAt])
      expect(await listed()).toEqual([
        [hintOf(second), undefined],
        [hintOf(first), undefined],
      ])
      const now = Date.now() / 1000
      if (create === 'createApiKey') await host.requestDirectToken(client)
      else await connect(host, client)
      // The use is written in the background.
      await expect.poll(async () => (await listed())[1]?.[1]).toBeDefined()
      const [[, ofSecond] = [], [, ofFirst] = []] = await listed()
      expect(ofSecond).toBeUndefined()
      expect(Math.abs(Number(ofFirst) - now)).toBeLessThanOrEqual(HOUR)
      // A wrong secret, and a request that gets no token, are no use.
      await host.introspect({ client_id: id, client_secret: `${second}x` }, 'none')
      expect((await listed())[0]?.[1]).toBeUndefined()
      await host.introspect({ client_id: id, client_secret: second }, 'none')
      await expect.poll(async () => (await listed())[0]?.[1]).toBeDefined()
    },
  )

  it('the feed of revocations counts as a use, because a gateway asks for nothing else', async () => {
    const client = await host.createApiKey([])
    await host.gatehouse.apiKeys.setResourceServer(client.client_id, true)
    const response = await fetch(`${host.issuer}/oauth2/revocations`, { headers: basic(client) })
    expect(response.status).toBe(200)
    await expect
      .poll(async () => (await host.gatehouse.apiKeys.listSecrets(client.client_id))[0]?.lastUsedAt)
      .toBeDefined()
  })

  it('the log tells a mistyped secret from a wrong one, and says neither to the client', async () => {
    const key = await host.createApiKey()
    const other = await host.createApiKey()
    const { client_secret: secret } = key
    const typed = secret.slice(0, -1) + (secret.endsWith('a') ? 'b' : 'a')
    const sent: [string, true | undefined][] = [
      [typed, true],
      [secret.slice(0, -3), true],
      [other.client_secret, undefined],
      ['something else that is long', undefined],
    ]
    const answers = new Set<string>()
    for (const [wrong, mistyped] of sent) {
      for (const scope of [undefined, 'invoices:read invoices:read']) {
        log.length = 0
        const client: Client = { ...key, client_secret: wrong }
        const answer = await host.requestDirectToken(client, scope === undefined ? {} : { scope })
        answers.add(JSON.stringify([answer.status, answer.body]))
        expect(
          log.map((each) => each['mistyped']),
          `${wrong} ${scope}`,
        ).toEqual([mistyped])
        expect(JSON.stringify(log)).not.toContain(wrong)
      }
    }
    expect(answers.size).toBe(1)
  })
})
