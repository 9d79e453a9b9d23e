// Also runs on: Redis
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { SECRET, startHost, type Host } from '../../support/host.ts'
import { importBeforeStart } from '../../support/import-before-start.ts'
import { describeEachStore, watchWrites } from '../../support/stores.ts'
import type { RegistrySource } from '../../../src/backup.ts'
import { exported, linesOf, statusOf, tokenOf } from './setup.ts'

describeEachStore('a file whose revocations were taken out', (makeStore) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-registry-'))
  const name = path.join(folder, 'registry.jsonl')
  const port = { used: 0 }
  let file: string[]
  let revoked: string
  let valid: string
  let host: Host | undefined

  beforeAll(async () => {
    const source = await startHost({ store: memoryStore() })
    port.used = source.port
    const [one, two] = [await source.createApiKey(), await source.createApiKey()]
    ;[revoked, valid] = [await tokenOf(source, one), await tokenOf(source, two)]
    await source.gatehouse.apiKeys.removeOperation(one.client_id, 'invoices:read')
    file = await exported(source)
    await source.close()
  })
  afterEach(() => host?.close())
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Starts a host on the store of the import, with the issuer of the exporting host. */
  async function statusAfter(store: Store, token: string): Promise<number> {
    host = await startHost({ store, port: port.used, gatehouse: { secret: SECRET } })
    await host.gatehouse.ready()
    return statusOf(host, token)
  }

  const without = (is: string) => (lines: readonly string[]) =>
    lines.filter((line) => !linesOf(is, [line]).includes(line))
  const damages: [string, (lines: readonly string[]) => readonly string[]][] = [
    ['without its revocations', without('revocation')],
    ['without its revocations and its last line', (lines) => without('end')(without('revocation')(lines))],
    [
      'with another count of revocations',
      (lines) => lines.map((line) => line.replace('"revocation":1', '"revocation":2')),
    ],
    [
      'that is cut before its revocations',
      (lines) => [lines.join('').slice(0, lines.join('').indexOf('{"is":"revocation"') + 9)],
    ],
  ]
  /** Inputs that can be read once. */
  async function* generated(lines: readonly string[]) {
    yield* lines
  }
  /** Inputs that can be read twice, and inputs that can be read once. */
  const sources: [string, 'twice' | 'once', () => (lines: readonly string[]) => RegistrySource][] = [
    ['a list of texts', 'twice', () => (lines) => lines],
    ['one text', 'twice', () => (lines) => lines.join('')],
    ['a function that opens the file', 'twice', () => () => () => createReadStream(name)],
    ['a stream', 'once', () => () => createReadStream(name)],
    ['an iteration', 'once', () => generated],
  ]

  it.each(damages)(
    'a file %s makes no revoked token valid, whatever it is read from, and the complete file can be imported after it',
    async (damage, damaged) => {
      const lines = damaged(file)
      expect(lines.join('')).not.toBe(file.join(''))
      for (const [what, times, open] of sources) {
        const { store, writes } = watchWrites(makeStore(`${damage} ${what}`))
        writeFileSync(name, lines.join(''))
        const imported = importBeforeStart(open()(lines), { store, port: port.used })
        await expect(imported, what).rejects.toMatchObject({
          code: 'ERR_INVALID_ARGUMENT',
          message: expect.stringContaining('mport the complete file'),
        })
        // Each process confirms the longest token lifetimes of its own options.
        const changes = writes.filter((write) => !write.includes('signing-keys:longest-'))
        expect(changes.filter((write) => write.includes('signing-keys:'))).toEqual([])
        if (times === 'twice') expect(changes, what).toEqual([])
      }
      const store = makeStore(`${damage} a stream`)
      writeFileSync(name, file.join(''))
      await importBeforeStart(createReadStream(name), { store, port: port.used })
      expect(await statusAfter(store, revoked)).toBe(401)
      await host?.close()
      expect(await statusAfter(store, valid)).toBe(200)
    },
  )

  it.each(damages)(
    'after a file %s was rejected, a process that starts on the store rejects all tokens of the file',
    async (damage, damaged) => {
      const store = makeStore(`${damage}, then a start`)
      await importBeforeStart(generated(damaged(file)), { store, port: port.used }).catch(() => {})
      expect(await statusAfter(store, revoked)).toBe(401)
      await host?.close()
      expect(await statusAfter(store, valid)).toBe(401)
    },
  )
})
