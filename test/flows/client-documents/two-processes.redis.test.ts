import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { documentOf, POLICY, startHostWithDocuments } from '../../support/client-document.ts'
import type { DocumentHost } from '../../support/document-host.ts'
import { compileHostProgram, type HostProcess, type HostProgram } from '../../support/host-process.ts'
import { hostRequests } from '../../support/host-requests.ts'
import type { Host } from '../../support/host.ts'
import { connectPublic } from '../../support/public-application.ts'
import { describeEachRedis } from '../../support/stores.ts'

/** How many hosts are blocked. */
const ROUNDS = 100

/** The bound of this test, in milliseconds, because the machine may be busy. The test prints what it measured. */
const BOUND_MS = 3000

describeEachRedis('blocking hosts in two processes', (deploy, deployment) => {
  let program: HostProgram
  let host: Host
  let documents: DocumentHost
  let child: HostProcess
  beforeAll(async () => {
    const data = randomUUID()
    program = await compileHostProgram()
    const clientDocuments = [{ ...POLICY, match: 'https://*' }]
    ;({ host, documents } = await startHostWithDocuments(deploy(data), { gatehouse: { clientDocuments } }))
    await host.gatehouse.ready()
    const { issuer, audience } = host
    child = await program.start({ deployment, keyPrefix: `${data}:`, issuer, audience })
  }, 120_000)
  afterAll(async () => {
    await host?.close()
    await documents?.close()
    await program?.remove()
  })

  it('the other process, which does not have the option, rejects the tokens of each blocked host', async () => {
    const atChild = hostRequests({
      fetch,
      issuer: child.address,
      audience: `http://localhost:${child.port}/api`,
    })
    const tokens: string[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = `https://h${round}.example.com/client.json`
      documents.serve(id, documentOf(id))
      tokens.push((await connectPublic(host, id)).access_token)
    }
    const status = async (token: string) => (await atChild.call('GET /invoices/1', token)).status
    for (const token of tokens) expect(await status(token)).toBe(200)

    const times: number[] = []
    for (const [round, token] of tokens.entries()) {
      await host.gatehouse.clientDocuments.block(`h${round}.example.com`)
      const answered = performance.now()
      while ((await status(token)) !== 401) {
        if (performance.now() - answered > BOUND_MS) throw new Error(`host ${round} is not blocked`)
        await delay(1)
      }
      times.push(performance.now() - answered)
      if (round + 1 < ROUNDS) expect(await status(tokens[round + 1] ?? '')).toBe(200)
    }
    const sorted = times.toSorted((one, other) => one - other)
    console.log(`blocked after ${sorted[49]?.toFixed(1)} ms (p50), ${sorted[98]?.toFixed(1)} ms (p99)`)
    expect(sorted.at(-1)).toBeLessThan(BOUND_MS)
  })
})
