import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { authorize, connect, startHost, type Host } from '../../support/host.ts'
import { pausingStore, type PausingStore } from '../../support/pausing-store.ts'
import { describeEachStore } from '../../support/stores.ts'

type Credentials = Awaited<ReturnType<Host['createApiKey']>>
type Answer = Awaited<ReturnType<Host['token']>>
type Service = Pick<
  Host['gatehouse']['apiKeys'] | Host['gatehouse']['applications'],
  | 'rename'
  | 'addProduct'
  | 'removeProduct'
  | 'removeOperation'
  | 'restoreOperation'
  | 'disable'
  | 'enable'
  | 'delete'
  | 'rotateSecret'
>

interface TakingChange {
  readonly make: (service: Service, clientId: string) => Promise<unknown>
  /** Gives back what it took; a deletion is for good. */
  readonly undo?: (service: Service, clientId: string) => Promise<unknown>
}

const CHANGES: Readonly<Record<string, TakingChange>> = {
  'a product is removed': {
    make: (service, clientId) => service.removeProduct(clientId, 'payments'),
    undo: (service, clientId) => service.addProduct(clientId, 'payments'),
  },
  'an operation is removed': {
    make: (service, clientId) => service.removeOperation(clientId, 'payments:list'),
    undo: (service, clientId) => service.restoreOperation(clientId, 'payments:list'),
  },
  'it is disabled': {
    make: (service, clientId) => service.disable(clientId),
    undo: (service, clientId) => service.enable(clientId),
  },
  'it is deleted': { make: (service, clientId) => service.delete(clientId) },
}
const EACH_CHANGE = Object.entries(CHANGES)

const direct = { grant_type: 'client_credentials' }
const CALL = 'GET /invoices/list'

describeEachStore('An API key or application that something is taken from', (makeStore) => {
  let host: Host
  let pausing: PausingStore

  beforeAll(async () => {
    pausing = pausingStore(makeStore())
    const accounts = {
      // A moment of its own in each request: after the client was found, and before there is a token.
      async find(accountId: string) {
        await pausing.store.get(`account:${accountId}`)
        return { id: accountId, kycLevel: 'verified' } as const
      },
      authenticate: () => ({ accountId: 'alice' }),
    }
    host = await startHost({ store: pausing.store, gatehouse: { storeTimeoutMs: 20_000, accounts } })
  })
  // All of a test within one second, which is all that `iat` tells.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 1000) * 1000 }))
  afterEach(() => void vi.useRealTimers())
  afterAll(() => host.close())

  async function expectDead(token: unknown): Promise<void> {
    const reached = host.reached.length
    const { status, headers, body } = await host.call(CALL, String(token))
    expect([status, body['error']]).toEqual([401, 'invalid_token'])
    expect(headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/)
    expect(host.reached).toHaveLength(reached)
  }

  async function expectGood(token: unknown): Promise<void> {
    expect((await host.call(CALL, String(token))).status).toBe(200)
  }

  /** Makes a token request, and a change while the store's answer to one of its calls is held. */
  async function during(
    request: () => Promise<Answer>,
    change: () => Promise<unknown>,
    at: number | string,
  ): Promise<Answer | undefined> {
    const pause = pausing.pauseAfter(at)
    const answer = request().finally(() => pause.end())
    const isHeld = await pause.reached
    if (isHeld) await change()
    pause.end()
    return isHeld ? answer : void (await answer)
  }

  /** A new token of another request, or a rejection, and nothing else. */
  async function expectDeadOrRejected({ status, body }: Answer): Promise<boolean> {
    if (status === 200) await expectDead(body['access_token'])
    else expect([status, body['error']]).toEqual([401, 'invalid_client'])
    return status === 200
  }

  async function codeOf(application: Credentials, browser = host.browser()) {
    const { code } = await authorize(host, application.client_id, { browser })
    expect(code).not.toBe('')
    return { ...application, grant_type: 'authorization_code', code }
  }

  async function refreshOf(application: Credentials) {
    const { refresh_token } = await connect(host, application)
    return { ...application, grant_type: 'refresh_token', refresh_token }
  }

  it.each(EACH_CHANGE)('%s: its direct tokens are dead, and new ones are good', async (_, change) => {
    const { apiKeys } = host.gatehouse
    const key = await host.createApiKey()
    const bystander = await host.createApiKey()
    const [before, other] = await Promise.all([
      host.token({ ...key, ...direct }),
      host.token({ ...bystander, ...direct }),
    ])
    await expectGood(before.body['access_token'])
    await change.make(apiKeys, key.client_id)
    await expectDead(before.body['access_token'])
    await change.undo?.(apiKeys, key.client_id)
    // What is given back brings no token back.
    await expectDead(before.body['access_token'])
    await expectGood(other.body['access_token'])
    const after = await host.token({ ...key, ...direct })
    if (change.undo) await expectGood(after.body['access_token'])
    else expect([after.status, after.body['error']]).toEqual([401, 'invalid_client'])
  })

  it.each(EACH_CHANGE)(
    '%s: its delegated tokens are dead, and a refresh gives a good one',
    async (_, change) => {
      const { applications } = host.gatehouse
      const application = await host.createApplication()
      const first = await connect(host, application, {
        parameters: { scope: 'openid invoices:read payments:list' },
      })
      await expectGood(first.access_token)
      await change.make(applications, application.client_id)
      await expectDead(first.access_token)
      const userInfo = await host.fetch(`${host.issuer}/oauth2/userinfo`, {
        headers: { authorization: `Bearer ${first.access_token}` },
      })
      expect(userInfo.status).toBe(401)
      await change.undo?.(applications, application.client_id)
      const refreshed = await host.token({
        ...application,
        grant_type: 'refresh_token',
        refresh_token: first.refresh_token,
      })
      if (change.undo) await expectGood(refreshed.body['access_token'])
      else expect([refreshed.status, refreshed.body['error']]).toEqual([401, 'invalid_client'])
      await expectDead(first.access_token)
    },
  )

  /** One request of each kind, each of another client. */
  async function requestsOfEachKind() {
    const { apiKeys, applications } = host.gatehouse
    return [
      { service: apiKeys, parameters: { ...(await host.createApiKey()), ...direct } },
      { service: applications, parameters: await codeOf(await host.createApplication()) },
      { service: applications, parameters: await refreshOf(await host.createApplication()) },
    ]
  }

  it.each(EACH_CHANGE)(
    '%s right after a token request has found it: the token is dead on arrival',
    async (_, change) => {
      for (const { service, parameters } of await requestsOfEachKind()) {
        const answer = await during(
          () => host.token(parameters),
          () => change.make(service, parameters.client_id),
          'get account:',
        )
        expect(answer?.status).toBe(200)
        await expectDead(answer?.body['access_token'])
      }
    },
  )

  it.each(EACH_CHANGE)(
    '%s while a token request reads it: the request goes by what is left',
    async (name, change) => {
      for (const { service, parameters } of await requestsOfEachKind()) {
        // So that it is not remembered.
        await service.rename(parameters.client_id, 'Renamed')
        const answer = await during(
          () => host.token(parameters),
          () => change.make(service, parameters.client_id),
          `get client:${parameters.client_id}`,
        )
        if (name.startsWith('it is')) {
          expect([answer?.status, answer?.body['error']]).toEqual([401, 'invalid_client'])
          continue
        }
        expect(answer?.status).toBe(200)
        expect(answer?.body['scope']).not.toContain('payments:list')
        await expectGood(answer?.body['access_token'])
      }
    },
  )

  it('a product is removed at any moment of a token request: what comes out is dead, and what follows is good', async () => {
    const { apiKeys, applications } = host.gatehouse
    const key = await host.createApiKey()
    const application = await host.createApplication()
    const browser = host.browser()
    await authorize(host, application.client_id, { browser })
    let { refresh_token } = await connect(host, application, { browser })
    const requests = [
      { service: apiKeys, make: async () => ({ ...key, ...direct }) },
      { service: applications, make: () => codeOf(application, browser) },
      {
        service: applications,
        make: async () => ({ ...application, grant_type: 'refresh_token', refresh_token }),
      },
    ]
    for (const { service, make } of requests) {
      let dead = 0
      let at = 0
      for (; ; at += 1) {
        const parameters: Record<string, string> = await make()
        const { client_id = '' } = parameters
        const answer = await during(
          () => host.token(parameters),
          () => service.removeProduct(client_id, 'payments'),
          at,
        )
        await service.addProduct(client_id, 'payments')
        if (!answer) break
        expect(answer.status).toBe(200)
        if ('refresh_token' in answer.body) refresh_token = String(answer.body['refresh_token'])
        // A request that had not read the client yet goes by what is left of it, and its token is new.
        if (String(answer.body['scope']).includes('payments:')) {
          await expectDead(answer.body['access_token'])
          dead += 1
        }
      }
      expect(at).toBeGreaterThan(0)
      expect(dead).toBeGreaterThan(0)
    }
    const { body } = await host.token({ ...key, ...direct })
    await expectGood(body['access_token'])
  })

  it('it is deleted at any moment of a refresh: it is rejected, or what comes out is dead', async () => {
    const { applications } = host.gatehouse
    let dead = 0
    let at = 0
    for (; ; at += 1) {
      const parameters = await refreshOf(await host.createApplication())
      const answer = await during(
        () => host.token(parameters),
        () => applications.delete(parameters.client_id),
        at,
      )
      if (!answer) break
      if (await expectDeadOrRejected(answer)) dead += 1
    }
    expect(dead).toBeGreaterThan(0)
  })

  it('its secret is rotated: tokens stay good, until they are revoked', async () => {
    const { apiKeys, tokens } = host.gatehouse
    const key = await host.createApiKey()
    const { body } = await host.token({ ...key, ...direct })
    const { clientSecret } = await apiKeys.rotateSecret(key.client_id, { overlapSeconds: 0 })
    await expectGood(body['access_token'])
    expect(await tokens.revokeAll({ clientId: key.client_id })).toEqual({ clients: 1, grants: 0 })
    await expectDead(body['access_token'])
    const next = await host.token({ ...key, client_secret: clientSecret, ...direct })
    await expectGood(next.body['access_token'])
  })
})
