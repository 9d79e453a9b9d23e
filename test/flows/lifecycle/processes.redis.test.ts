// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { compileHostProgram, type HostProgram } from '../../support/host-process.ts'
import { connect, SECRET, startHost, type Host } from '../../support/host.ts'
import { describeEachShared } from '../../support/stores.ts'
import { endClients, form, keepAliveClient } from './keep-alive-client.ts'

describeEachShared('processes on one store', (deploy, deployment) => {
  let program: HostProgram
  const hosts: Host[] = []
  beforeAll(async () => {
    program = await compileHostProgram()
  })
  afterEach(async () => {
    endClients()
    await Promise.all(hosts.splice(0).map((host) => host.close()))
  })
  afterAll(() => program?.remove())

  it('three processes that start at the same time on an empty store publish the same keys', async () => {
    // With a secret of its own, the test host makes its signing keys itself.
    const options = { deployment, keyPrefix: `${randomUUID()}:`, secret: SECRET }
    const processes = await Promise.all(Array.from({ length: 3 }, () => program.start(options)))
    const sets = await Promise.all(
      processes.map(async ({ address }) => {
        const response = await fetch(`${address}/oauth2/jwks`)
        return ((await response.json()) as { keys: { alg: string }[] }).keys
      }),
    )
    expect(sets[0]?.map(({ alg }) => alg)).toEqual(['ES256', 'RS256', 'ES256', 'RS256'])
    for (const set of sets) expect(set).toEqual(sets[0])
  })

  it('each client that refreshes without a pause gets every answer, so it can go on at another process', async () => {
    const data = randomUUID()
    const other = await startHost({ store: deploy(data) })
    hosts.push(other)
    const { issuer, audience } = other
    const process = await program.start({ deployment, keyPrefix: `${data}:`, issuer, audience })
    const application = await other.createApplication()
    const families = await Promise.all(
      Array.from({ length: 10 }, async () => (await connect(other, application)).refresh_token),
    )
    let refreshes = 0

    /** Refreshes until the process accepts no request. Resolves with the last token. */
    async function refreshUntilTheEnd(
      token: string,
      client = keepAliveClient(process.port),
    ): Promise<string> {
      const sent = form({ ...application, grant_type: 'refresh_token', refresh_token: token })
      const answer = await client.send('/auth/oauth2/token', sent).catch(() => undefined)
      if (answer === undefined) return token
      expect(answer).toMatchObject({ status: 200 })
      refreshes += 1
      const { refresh_token } = JSON.parse(answer.text) as { refresh_token: string }
      return refreshUntilTheEnd(refresh_token, client)
    }
    const last = Promise.all(families.map((token) => refreshUntilTheEnd(token)))
    await vi.waitFor(() => expect(refreshes).toBeGreaterThan(50), 20_000)
    expect(await process.terminate()).toBe(0)
    for (const token of await last) expect((await other.refresh(application, token)).status).toBe(200)
  })
})
