// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { authorize, connect, startHost, type Host } from '../../support/host.ts'
import { compileHostProgram, type HostProcess, type HostProgram } from '../../support/host-process.ts'
import { describeEachShared } from '../../support/stores.ts'

const THREE_MINUTES_MS = 180_000

describeEachShared('a process whose clock is set', (deploy) => {
  afterEach(() => void vi.useRealTimers())

  it.each([3600, -3600])(
    'a retry within the grace period works although the clock was set by %d s',
    async (seconds) => {
      const host = await startHost({
        store: deploy(randomUUID()),
        gatehouse: { refreshTokenGraceSeconds: 10 },
      })
      try {
        const client = await host.createApplication()
        const { refresh_token: token } = await connect(host, client)
        const refresh = () => host.token({ ...client, grant_type: 'refresh_token', refresh_token: token })
        const { body: first } = await refresh()
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })
        expect((await refresh()).body['refresh_token']).toBe(first['refresh_token'])
      } finally {
        await host.close()
      }
    },
  )
})

describeEachShared('two processes whose clocks differ by three minutes', (deploy, deployment) => {
  let program: HostProgram
  beforeAll(async () => {
    program = await compileHostProgram()
  })
  afterAll(() => program?.remove())

  describe.each([
    ['ahead', THREE_MINUTES_MS],
    ['behind', -THREE_MINUTES_MS],
  ])('the other process is %s', (_direction, clockOffsetMs) => {
    let here: Host
    let there: HostProcess
    let client: Awaited<ReturnType<Host['createApplication']>>
    beforeAll(async () => {
      const data = randomUUID()
      const options = { refreshTokenGraceSeconds: 10, storeTimeoutMs: 20_000 }
      here = await startHost({ store: deploy(data), gatehouse: options })
      const { issuer, audience } = here
      const others = { deployment, keyPrefix: `${data}:`, issuer, audience, clockOffsetMs }
      there = await program.start({ ...others, ...options })
      client = await here.createApplication()
    })
    afterAll(async () => {
      await there?.stop()
      await here?.close()
    })
    afterEach(() => expect(there.events).not.toContain('refresh_token.reused'))

    const send = (at: 'here' | 'there', body: Record<string, string>) =>
      here.post(at === 'here' ? '/oauth2/token' : `${there.address}/oauth2/token`, { ...client, ...body })
    const refresh = (at: 'here' | 'there', token: unknown) =>
      send(at, { grant_type: 'refresh_token', refresh_token: String(token) })

    it('a code that one process made works at the other process', async () => {
      const { code } = await authorize(here, client.client_id)
      const { status, body } = await send('there', { grant_type: 'authorization_code', code })
      expect({ status, error: body['error'] }).toEqual({ status: 200, error: undefined })
    })

    it.each([
      ['here', 'there'],
      ['there', 'here'],
    ] as const)('a refresh %s can be retried %s within the grace period', async (first, second) => {
      const { refresh_token: token } = await connect(here, client)
      const refreshed = await refresh(first, token)
      const retried = await refresh(second, token)
      expect({ status: retried.status, error: retried.body['error'] }).toEqual({
        status: 200,
        error: undefined,
      })
      const next = retried.body['refresh_token']
      expect(next).toBe(refreshed.body['refresh_token'])
      expect((await refresh(second, next)).status).toBe(200)
    })
  })
})
