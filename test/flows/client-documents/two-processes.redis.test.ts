import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { documentOf, POLICY, startHostWithDocuments } from '../../support/client-document.ts'
import type { DocumentHost } from '../../support/document-host.ts'
import { compileHostProgram, type HostProcess, type HostProgram } from '../../support/host-process.ts'
import { hostRequests } from '../../support/host-requests.ts'
import type { Host } from '../../support/host.ts'
import { connectPublic } from '../../support/public-application.ts'
import { describeEachShared } from '../../support/stores.ts'

/** How many hosts are blocked. */
const ROUNDS = 10

describeEachShared('blocking hosts in two processes', (deploy, deployment) => {
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

    for (const [round, token] of tokens.entries()) {
      await host.gatehouse.clientDocuments.block(`h${round}.example.com`)
      await vi.waitFor(async () => expect(await status(token)).toBe(401), { timeout: 30_000, interval: 5 })
      if (round + 1 < ROUNDS) expect(await status(tokens[round + 1] ?? '')).toBe(200)
    }
  })
})
