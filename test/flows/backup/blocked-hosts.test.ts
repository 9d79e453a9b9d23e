import { inspect } from 'node:util'
import { afterEach, expect, it, vi } from 'vitest'
import { importRegistry } from 'koa-gatehouse/backup'
import { CLIENT_ID, documentOf, startHostWithDocuments, VENDOR } from '../../support/client-document.ts'
import { startHost } from '../../support/host.ts'
import { connectPublic } from '../../support/public-application.ts'
import { describeEachStore } from '../../support/stores.ts'
import { exported, linesOf } from '../../parts/backup/setup.ts'

const SECRET = 'the secret of both services, long enough for keys'

describeEachStore('blocked hosts in an exported registry', (makeStore) => {
  const ends: { close(): Promise<unknown> }[] = []
  afterEach(async () => {
    for (const each of ends.splice(0).toReversed()) await each.close()
  })

  async function start(data: string, options: { issuer?: string; audience?: string } = {}) {
    const started = await startHostWithDocuments(makeStore(data), {
      gatehouse: { secret: SECRET, ...options },
    })
    ends.push(started.host, started.documents)
    started.documents.serve(CLIENT_ID, documentOf())
    await started.host.gatehouse.ready()
    return started.host
  }

  const hostLines = (lines: readonly string[]) =>
    linesOf('document-host', lines).map((line) => JSON.parse(line) as object)

  it('a blocked host is blocked after the import, its old tokens are rejected, and unblocking revokes them still', async () => {
    const old = await start('old')
    const { access_token } = await connectPublic(old, CLIENT_ID)
    await old.gatehouse.clientDocuments.block(VENDOR, { actor: 'olga' })
    const lines = await exported(old)
    expect(hostLines(lines)).toEqual([
      {
        is: 'document-host',
        origin: `https://${VENDOR}`,
        epoch: 1,
        isBlocked: true,
        blockedAt: expect.any(Number) as number,
        blockedBy: 'olga',
      },
    ])
    expect(lines.some((line) => line.includes(`"of":"client","id":"https://${VENDOR}"`))).toBe(true)
    expect(lines.some((line) => line.includes('Example Agent'))).toBe(false)

    const { issuer, audience } = old
    const next = await start('next', { issuer, audience })
    // The signing keys of the file could not be imported into a store that has its own.
    const first = await importRegistry(next.gatehouse, lines, { signingKeys: false })
    expect(first).toMatchObject({ blockedHosts: 1 })
    expect(await next.gatehouse.clientDocuments.listBlocked()).toMatchObject([
      { host: VENDOR, blockedBy: 'olga' },
    ])
    expect((await next.call('GET /invoices/1', access_token)).status).toBe(401)
    expect(await importRegistry(next.gatehouse, lines, { signingKeys: false })).toMatchObject({
      blockedHosts: 0,
    })
  })

  it('a host that has tokens in the store gets an epoch above theirs', async () => {
    const old = await start('before')
    await old.gatehouse.clientDocuments.block(VENDOR)
    const lines = await exported(old)
    const next = await start('after')
    const { clientDocuments } = next.gatehouse
    await clientDocuments.block(VENDOR)
    await vi.waitFor(() => clientDocuments.unblock(VENDOR), { timeout: 10_000 })
    const { access_token } = await connectPublic(next, CLIENT_ID)
    expect((await next.call('GET /invoices/1', access_token)).status).toBe(200)
    await importRegistry(next.gatehouse, lines, { signingKeys: false })
    expect((await next.call('GET /invoices/1', access_token)).status).toBe(401)
    expect(hostLines(await exported(next))).toMatchObject([{ epoch: 2, isBlocked: true }])
  })

  it('a host that was unblocked keeps its epoch, and a service without the option imports and exports hosts', async () => {
    const old = await start('first')
    const { clientDocuments } = old.gatehouse
    await clientDocuments.block(VENDOR)
    await vi.waitFor(() => clientDocuments.unblock(VENDOR), { timeout: 10_000 })
    const lines = await exported(old)
    const plain = await startHost({ store: makeStore('plain'), gatehouse: { secret: SECRET } })
    ends.push(plain)
    await importRegistry(plain.gatehouse, lines, { signingKeys: false })
    expect(hostLines(await exported(plain))).toEqual(hostLines(lines))
    expect(hostLines(lines)).toMatchObject([{ epoch: 1, isBlocked: false }])
  })

  it('lines with invalid fields are rejected before anything is changed', async () => {
    const plain = await startHost({ store: makeStore(), gatehouse: { secret: SECRET } })
    ends.push(plain)
    const lines = await exported(plain)
    const end = JSON.parse(lines.at(-1) ?? '') as { lines: object }
    const valid = { origin: 'https://a.example', epoch: 1, isBlocked: true, blockedAt: 1 }
    for (const change of [
      { origin: 'http://a.example' },
      { origin: 'https://a.example/' },
      { origin: 'https://A.example' },
      { epoch: -1 },
      { isBlocked: 'yes' },
      { blockedAt: 'today' },
      { blockedBy: '' },
    ]) {
      const file = [
        ...lines.slice(0, -1),
        `${JSON.stringify({ is: 'document-host', ...valid, ...change })}\n`,
        JSON.stringify({ ...end, lines: { ...end.lines, 'document-host': 1 } }),
      ]
      await expect(importRegistry(plain.gatehouse, file), inspect(change)).rejects.toMatchObject({
        code: 'ERR_INVALID_ARGUMENT',
        problems: [{ path: Object.keys(change)[0] }],
      })
    }
    expect(hostLines(await exported(plain))).toEqual([])
  })
})
