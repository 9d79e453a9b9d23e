// Also runs on: Redis
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { authorize, connect, startHost, type Host } from '../../support/host.ts'
import { pausingStore, type PausingStore } from '../../support/pausing-store.ts'
import { expectAccepted, expectRejected, freezeSecond } from '../../support/token-checks.ts'
import { describeEachStore } from '../../support/stores.ts'

type Credentials = Awaited<ReturnType<Host['createApiKey']>>
type Answer = Awaited<ReturnType<Host['token']>>
type Service = Pick<
  Host['gatehouse']['apiKeys'] | Host['gatehouse']['applications'],
  | 'update'
  | 'addProduct'
  | 'removeProduct'
  | 'removeOperation'
  | 'restoreOperation'
  | 'disable'
  | 'enable'
  | 'delete'
  | 'rotateSecret'
>

interface Withdrawal {
  readonly make: (service: Service, clientId: string) => Promise<unknown>
  /** Reverts the change. The function is absent for a deletion, because a deletion cannot be reverted. */
  readonly undo?: (service: Service, clientId: string) => Promise<unknown>
}

const CHANGES: Readonly<Record<string, Withdrawal>> = {
  'a product of a client is removed': {
    make: (service, clientId) => service.removeProduct(clientId, 'payments'),
    undo: (service, clientId) => service.addProduct(clientId, 'payments'),
  },
  'an operation of a client is removed': {
    make: (service, clientId) => service.removeOperation(clientId, 'payments:list'),
    undo: (service, clientId) => service.restoreOperation(clientId, 'payments:list'),
  },
  'a client is disabled': {
    make: (service, clientId) => service.disable(clientId),
    undo: (service, clientId) => service.enable(clientId),
  },
  'a client is deleted': { make: (service, clientId) => service.delete(clientId) },
}
const EACH_CHANGE = Object.entries(CHANGES)

const direct = { grant_type: 'client_credentials' }

describeEachStore('changes that withdraw access from an API key or an application', (makeStore) => {
  let host: Host
  let pausing: PausingStore

  beforeAll(async () => {
    pausing = pausingStore(makeStore())
    const accounts = {
      // A test can pause this store call. The request is then between the look-up of the client and the
      // signing of the token.
      async find(accountId: string) {
        await pausing.store.get(`account:${accountId}`)
        return { id: accountId, kycLevel: 'verified' } as const
      },
      authenticate: () => ({ accountId: 'alice' }),
    }
    host = await startHost({ store: pausing.store, gatehouse: { storeTimeoutMs: 20_000, accounts } })
  })
  beforeEach(freezeSecond)
  afterEach(() => void vi.useRealTimers())
  afterAll(() => host.close())

  /**
   * Sends a token request, and makes the change while the answer of one store call is delayed.
   *
   * @returns the response, or `undefined` if the request ends before that store call
   */
  async function whileRequesting(
    request: () => Promise<Answer>,
    change: () => Promise<unknown>,
    at: number | string,
  ): Promise<Answer | undefined> {
    const pause = pausing.pauseAfter(at)
    const answer = request().finally(() => pause.end())
    const isPaused = await pause.reached
    if (isPaused) await change()
    pause.end()
    return isPaused ? answer : void (await answer)
  }

  /** Asserts that the request or its token is rejected. Returns whether the request got a token. */
  async function expectNoValidToken({ status, body }: Answer): Promise<boolean> {
    if (status === 200) await expectRejected(host, body['access_token'])
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

  it.each(EACH_CHANGE)(
    'when %s, earlier direct tokens of the client stay rejected, and the client gets valid new tokens only if the change is reverted',
    async (_, change) => {
      const { apiKeys } = host.gatehouse
      const key = await host.createApiKey()
      const bystander = await host.createApiKey()
      const [before, other] = await Promise.all([
        host.token({ ...key, ...direct }),
        host.token({ ...bystander, ...direct }),
      ])
      await expectAccepted(host, before.body['access_token'])
      await change.make(apiKeys, key.client_id)
      await expectRejected(host, before.body['access_token'])
      await change.undo?.(apiKeys, key.client_id)
      // Reverting the change restores no revoked token.
      await expectRejected(host, before.body['access_token'])
      await expectAccepted(host, other.body['access_token'])
      const after = await host.token({ ...key, ...direct })
      if (change.undo) await expectAccepted(host, after.body['access_token'])
      else expect([after.status, after.body['error']]).toEqual([401, 'invalid_client'])
    },
  )

  it.each(EACH_CHANGE)(
    'when %s, earlier delegated tokens of the client stay rejected, and a refresh gives valid tokens only if the change is reverted',
    async (_, change) => {
      const { applications } = host.gatehouse
      const application = await host.createApplication()
      const first = await connect(host, application, {
        parameters: { scope: 'openid invoices:read payments:list' },
      })
      await expectAccepted(host, first.access_token)
      await change.make(applications, application.client_id)
      await expectRejected(host, first.access_token)
      const userInfo = await host.userInfo(first.access_token)
      expect(userInfo.status).toBe(401)
      await change.undo?.(applications, application.client_id)
      const refreshed = await host.refresh(application, first.refresh_token)
      if (change.undo) await expectAccepted(host, refreshed.body['access_token'])
      else expect([refreshed.status, refreshed.body['error']]).toEqual([401, 'invalid_client'])
      await expectRejected(host, first.access_token)
    },
  )

  /** Prepares one token request of each grant type. Each request is from a different client. */
  async function requestsOfEachKind() {
    const { apiKeys, applications } = host.gatehouse
    return [
      { service: apiKeys, parameters: { ...(await host.createApiKey()), ...direct } },
      { service: applications, parameters: await codeOf(await host.createApplication()) },
      { service: applications, parameters: await refreshOf(await host.createApplication()) },
    ]
  }

  it.each(EACH_CHANGE)(
    'when %s right after a token request has read the client, the issued token is rejected',
    async (_, change) => {
      for (const { service, parameters } of await requestsOfEachKind()) {
        const answer = await whileRequesting(
          () => host.token(parameters),
          () => change.make(service, parameters.client_id),
          'get account:',
        )
        expect(answer?.status).toBe(200)
        await expectRejected(host, answer?.body['access_token'])
      }
    },
  )

  it.each(EACH_CHANGE)(
    'when %s while a token request reads the client, the request gets an error or a token without the removed scopes',
    async (name, change) => {
      for (const { service, parameters } of await requestsOfEachKind()) {
        // Renaming removes the client from the cache, so that the request reads the client from the store.
        await service.update(parameters.client_id, { name: 'Renamed' })
        await host.gatehouse.audit.list({ limit: 1 })
        const answer = await whileRequesting(
          () => host.token(parameters),
          () => change.make(service, parameters.client_id),
          `get client:${parameters.client_id}`,
        )
        if (name.startsWith('a client is')) {
          expect([answer?.status, answer?.body['error']]).toEqual([401, 'invalid_client'])
          continue
        }
        expect(answer?.status).toBe(200)
        expect(answer?.body['scope']).not.toContain('payments:list')
        await expectAccepted(host, answer?.body['access_token'])
      }
    },
  )

  it('removing a product during any store call of a token request leaves no valid token with that product', async () => {
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
      let rejected = 0
      let call = 0
      for (; ; call += 1) {
        const parameters: Record<string, string> = await make()
        const { client_id = '' } = parameters
        const answer = await whileRequesting(
          () => host.token(parameters),
          () => service.removeProduct(client_id, 'payments'),
          call,
        )
        await service.addProduct(client_id, 'payments')
        if (!answer) break
        expect(answer.status).toBe(200)
        if ('refresh_token' in answer.body) refresh_token = String(answer.body['refresh_token'])
        // If the product is removed before the request reads the client, the token has only the remaining
        // operations.
        if (String(answer.body['scope']).includes('payments:')) {
          await expectRejected(host, answer.body['access_token'])
          rejected += 1
        }
      }
      expect(call).toBeGreaterThan(0)
      expect(rejected).toBeGreaterThan(0)
    }
    const { body } = await host.token({ ...key, ...direct })
    await expectAccepted(host, body['access_token'])
  })

  it('deleting an application during any store call of a refresh leaves no valid token', async () => {
    const { applications } = host.gatehouse
    let rejected = 0
    let call = 0
    for (; ; call += 1) {
      const parameters = await refreshOf(await host.createApplication())
      const answer = await whileRequesting(
        () => host.token(parameters),
        () => applications.delete(parameters.client_id),
        call,
      )
      if (!answer) break
      if (await expectNoValidToken(answer)) rejected += 1
    }
    expect(rejected).toBeGreaterThan(0)
  })

  it("rotating a secret keeps the client's tokens valid until they are revoked", async () => {
    const { apiKeys, tokens } = host.gatehouse
    const key = await host.createApiKey()
    const { body } = await host.token({ ...key, ...direct })
    const { clientSecret } = await apiKeys.rotateSecret(key.client_id, { overlapSeconds: 0 })
    await expectAccepted(host, body['access_token'])
    expect(await tokens.revokeAll({ clientId: key.client_id })).toEqual({ clients: 1, grants: 0 })
    await expectRejected(host, body['access_token'])
    const next = await host.token({ ...key, client_secret: clientSecret, ...direct })
    await expectAccepted(host, next.body['access_token'])
  })
})
