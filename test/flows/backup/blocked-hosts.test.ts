import { afterEach, expect, it, vi } from 'vitest'
import { exportRegistry, importRegistry } from 'koa-gatehouse/backup'
import { CLIENT_ID, documentOf, startHostWithDocuments, VENDOR } from '../../support/client-document.ts'
import { startHost, type Host } from '../../support/host.ts'
import { connectPublic } from '../../support/public-application.ts'
import { describeEachStore } from '../../support/stores.ts'

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
    // New signing keys take seconds on a busy machine, and requests do not wait so long.
    await vi.waitFor(() => started.host.gatehouse.ready(), { timeout: 30_000 })
    return started.host
  }

  async function exported({ gatehouse }: Pick<Host, 'gatehouse'>): Promise<string[]> {
    const lines: string[] = []
    for await (const line of exportRegistry(gatehouse)) lines.push(line)
    return lines
  }
  const hostLines = (lines: readonly string[]) =>
    lines.filter((line) => line.startsWith('{"is":"document-host"')).map((line) => JSON.parse(line) as object)

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

  it.each([
    { origin: 'http://a.example' },
    { origin: 'https://a.example/' },
    { origin: 'https://A.example' },
    { epoch: -1 },
    { isBlocked: 'yes' },
    { blockedAt: 'today' },
    { blockedBy: '' },
  ])('a line with %j is rejected before anything is changed', async (change) => {
    const plain = await startHost({ store: makeStore(), gatehouse: { secret: SECRET } })
    ends.push(plain)
    const lines = await exported(plain)
    const line = {
      is: 'document-host',
      origin: 'https://a.example',
      epoch: 1,
      isBlocked: true,
      blockedAt: 1,
      ...change,
    }
    const end = JSON.parse(lines.at(-1) ?? '') as { lines: object }
    const file = [
      ...lines.slice(0, -1),
      `${JSON.stringify(line)}\n`,
      JSON.stringify({ ...end, lines: { ...end.lines, 'document-host': 1 } }),
    ]
    await expect(importRegistry(plain.gatehouse, file)).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      problems: [{ path: Object.keys(change)[0] }],
    })
    expect(hostLines(await exported(plain))).toEqual([])
  })
})
