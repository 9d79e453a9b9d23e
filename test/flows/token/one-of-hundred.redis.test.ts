// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compileHostProgram, type HostProcess, type HostProgram } from '../../support/host-process.ts'
import { authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachShared } from '../../support/stores.ts'

/** The check of a change runs this on four deployments. */
const ROUNDS = process.env['CI'] ? 3 : 10
const PARALLEL = 100

describeEachShared('one-time tokens, with a hundred requests at two processes', (deploy, deployment) => {
  let program: HostProgram
  let first: Host
  let second: HostProcess
  beforeAll(async () => {
    program = await compileHostProgram()
    const data = randomUUID()
    // Many parallel requests can keep a slow machine busy for longer than the default timeout of the store.
    const gatehouse = { storeTimeoutMs: 20_000 }
    first = await startHost({ store: deploy(data), gatehouse })
    const { issuer, audience } = first
    second = await program.start({ deployment, keyPrefix: `${data}:`, issuer, audience, ...gatehouse })
  })
  afterAll(async () => {
    await second?.stop()
    await first?.close()
    await program?.remove()
  })

  /** Sends the same request many times to both processes. @returns how often it succeeded */
  async function successesOf(body: Record<string, string>): Promise<number> {
    const answers = await Promise.all(
      Array.from({ length: PARALLEL }, (_, index) =>
        index % 2 === 0 ? first.token(body) : first.post(`${second.address}/oauth2/token`, body),
      ),
    )
    const statuses = answers.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 400]))
    return statuses.filter((status) => status === 200).length
  }

  it(`of ${PARALLEL} parallel uses of a code or refresh token at two processes exactly one succeeds, in each of ${ROUNDS} rounds`, async () => {
    const client = await first.createApplication()
    for (let round = 0; round < ROUNDS; round += 1) {
      const { code } = await authorize(first, client.client_id)
      expect(await successesOf({ ...client, grant_type: 'authorization_code', code })).toBe(1)
      const { refresh_token } = await connect(first, client)
      expect(await successesOf({ ...client, grant_type: 'refresh_token', refresh_token })).toBe(1)
    }
  })
})
