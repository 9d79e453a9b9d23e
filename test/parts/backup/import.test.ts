import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { startHost, type Host } from '../../support/host.ts'
import { exportRegistry, importRegistry } from '../../../src/backup.ts'
import { exported } from './setup.ts'

/** The fields of a line. */
interface Fields {
  [name: string]: unknown
  is: string
}

let file: string[]

beforeAll(async () => {
  const host = await startHost({ store: memoryStore() })
  await host.createApiKey()
  const { client_id: changed } = await host.createApiKey()
  await host.gatehouse.apiKeys.removeOperation(changed, 'invoices:read')
  await host.createApplication({ homepageUri: 'https://ledger.example/', name: 'Bücher €' })
  await host.gatehouse.apiKeys.delete((await host.createApiKey()).client_id)
  file = await exported(host)
  await host.close()
})

const fieldsOf = (line: string | undefined) => JSON.parse(line ?? '') as Fields
const kinds = (lines: readonly string[]) => lines.map((line) => fieldsOf(line).is)
const rejection = (message: string | RegExp, code = 'ERR_INVALID_ARGUMENT') =>
  expect.objectContaining({
    code,
    message: typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
  })

let host: Host
beforeEach(async () => {
  host = await startHost({ store: memoryStore() })
  await host.gatehouse.ready()
})
afterEach(() => host.close())

const clientIds = async () => {
  const { apiKeys, applications } = host.gatehouse
  return [...(await apiKeys.list()).items, ...(await applications.list()).items].map(
    ({ clientId }) => clientId,
  )
}
/** Imports lines from a stream, which can be read once. */
const importing = (lines: readonly string[]) => importRegistry(host.gatehouse, Readable.from(lines))
/** Expects that the registry and the keys are as they were before the import. */
async function expectUnchanged(before: readonly object[]): Promise<void> {
  expect(await clientIds()).toEqual([])
  expect(await host.gatehouse.signingKeys.list()).toEqual(before)
}

describe('the file of an exported registry', () => {
  it('the first line of an export names the format, and the last line counts the lines of each kind', () => {
    for (const line of file) expect(line).toMatch(/^\{[^\n]*\}\n$/)
    expect(fieldsOf(file[0])).toEqual({
      is: 'koa-gatehouse registry',
      version: 1,
      exportedAt: expect.any(Number),
      issuer: expect.stringMatching(/^http:\/\/localhost:\d+\/auth$/),
      signingKeys: true,
      longestLifetimes: { accessToken: 864_000, idToken: 1_209_600 },
    })
    const counted = Object.fromEntries(
      [...new Set(kinds(file.slice(1, -1)))].map((is) => [
        is,
        kinds(file).filter((each) => each === is).length,
      ]),
    )
    expect(counted).toMatchObject({ 'signing-keys': 1, products: 1, client: 3, 'deleted-client': 1 })
    expect(fieldsOf(file.at(-1))).toEqual({ is: 'end', lines: counted })
    expect(kinds(file)[1]).toBe('signing-keys')
  })

  it('an export that is piped to a file can be imported from this file', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-registry-'))
    const name = path.join(folder, 'registry.jsonl')
    const source = await startHost({ store: memoryStore() })
    await source.createApiKey()
    await pipeline(Readable.from(exportRegistry(source.gatehouse)), createWriteStream(name, { mode: 0o600 }))
    await source.close()
    expect(await importRegistry(host.gatehouse, createReadStream(name, { highWaterMark: 7 }))).toMatchObject({
      apiKeys: 1,
    })
    rmSync(folder, { recursive: true })
  })

  it.each([
    ['as bytes in chunks of any size', () => cut(Buffer.from(file.join('')), 11)],
    [
      'with Windows line breaks, blank lines, and no line break at the end',
      () =>
        file
          .map((line) => line.replace('\n', '\r\n\r\n'))
          .join('')
          .trimEnd()
          .split('\r\n')
          .map((line) => `${line}\r\n`),
    ],
    ['as one text', () => file.join('')],
  ])('an import reads the file %s', async (_, chunks) => {
    expect(await importRegistry(host.gatehouse, chunks())).toMatchObject({
      apiKeys: 2,
      applications: 1,
      deletedClients: 1,
      blockedHosts: 0,
    })
    expect(await host.gatehouse.applications.list()).toMatchObject({ items: [{ name: 'Bücher €' }] })
  })

  it('an import without signing keys imports the clients and keeps the keys of the store', async () => {
    const before = await host.gatehouse.signingKeys.list()
    const options = { signingKeys: false }
    expect(await importRegistry(host.gatehouse, file, options)).toMatchObject({
      apiKeys: 2,
      applications: 1,
      signingKeys: 0,
    })
    expect(await host.gatehouse.signingKeys.list()).toEqual(before)
    expect(await importRegistry(host.gatehouse, file, options)).toMatchObject({ apiKeys: 0, conflicts: [] })
  })

  it('an import without signing keys does not need the old secret', async () => {
    const another = await startHost({
      store: memoryStore(),
      secret: 'another secret, which is long enough too',
    })
    await expect(importRegistry(another.gatehouse, file)).rejects.toThrow(
      rejection('', 'ERR_SECRET_MISMATCH'),
    )
    expect(await importRegistry(another.gatehouse, file, { signingKeys: false })).toMatchObject({
      apiKeys: 2,
    })
    await another.close()
  })
})

function cut(bytes: Buffer, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  )
}

describe('files that are rejected before anything is written', () => {
  const header = (fields: object) => [
    `${JSON.stringify({ ...fieldsOf(file[0]), ...fields })}\n`,
    ...file.slice(1),
  ]
  const FILES: Record<string, readonly [lines: () => readonly string[], message: string]> = {
    'an empty file': [() => [], 'it is empty'],
    'another kind of file': [
      () => ['{"name":"koa","version":"3.0.0"}\n'],
      'was not written by exportRegistry()',
    ],
    'a file that is not JSON': [() => ['client,name\n', 'a,b\n'], 'was not written by exportRegistry()'],
    'a file without its first line': [() => file.slice(1), 'was not written by exportRegistry()'],
    'a newer version': [() => header({ version: 2 }), 'newer version of koa-gatehouse (format 2'],
    'a version that is not a number': [
      () => header({ version: 'one' }),
      'version: must be a whole number from 1 to 1',
    ],
    'a lifetime above the maximum': [
      () => header({ longestLifetimes: { accessToken: 1e15 } }),
      'longestLifetimes.accessToken',
    ],
    'a file whose signing keys were removed': [() => file.toSpliced(1, 1), 'must have the signing keys'],
    'an invalid key ring': [
      () => file.with(1, '{"is":"signing-keys","record":{"v":1,"keys":[{"kid":"a"}]}}\n'),
      'line 2',
    ],
    'signing keys of a newer version': [
      () => file.with(1, '{"is":"signing-keys","record":{"v":3,"keys":[]}}\n'),
      'line 2',
    ],
  }

  it('such a file is rejected before anything is written', async () => {
    const before = await host.gatehouse.signingKeys.list()
    for (const [what, [lines, message]] of Object.entries(FILES)) {
      await expect(importing(lines()), what).rejects.toThrow(rejection(message))
      await expectUnchanged(before)
    }
  })

  it('signing keys that no secret decrypts are rejected before anything is written', async () => {
    const lines = file.with(1, (file[1] ?? '').replace(/("sealed":"[^"]{30})./, '$1~'))
    expect(lines[1]).not.toBe(file[1])
    const before = await host.gatehouse.signingKeys.list()
    await expect(importing(lines)).rejects.toThrow(rejection('Nothing was changed', 'ERR_SECRET_MISMATCH'))
    await expectUnchanged(before)
  })
})

describe('invalid lines', () => {
  const at = () => kinds(file).indexOf('client')
  /** The lines of the file, with a change of the first client. */
  function withClient(change: (record: ClientFields) => unknown): string[] {
    const { is, record, ...rest } = fieldsOf(file[at()])
    const copy = structuredClone(record) as ClientFields
    change(copy)
    return file.with(at(), `${JSON.stringify({ is, ...rest, record: copy })}\n`)
  }
  interface ClientFields {
    [name: string]: unknown
    client: Record<string, unknown>
    secrets: Record<string, unknown>[]
  }

  const CLIENTS: readonly (readonly [where: string, change: (record: ClientFields) => unknown])[] = [
    ['record.client.clientId', ({ client }) => (client['clientId'] = 'planted content')],
    ['record.client.clientId', ({ client }) => (client['clientId'] = '__proto__')],
    ['record.client.accountId', ({ client }) => (client['accountId'] = 'planted\u0000content')],
    ['record.client.name', ({ client }) => (client['name'] = 'planted\ncontent')],
    ['record.client.products', ({ client }) => (client['products'] = 'planted')],
    ['record.client.products[1]', ({ client }) => (client['products'] = ['invoices', 7])],
    ['record.client.removedOperations', ({ client }) => delete client['removedOperations']],
    ['record.client.disabled', ({ client }) => (client['disabled'] = 'planted')],
    ['record.client.epoch', ({ client }) => (client['epoch'] = Number.MAX_SAFE_INTEGER)],
    ['record.client.epoch', ({ client }) => (client['epoch'] = -1)],
    ['record.client.createdAt', ({ client }) => (client['createdAt'] = 1.5)],
    ['record.client.kind', ({ client }) => (client['kind'] = 'planted')],
    ['record.client.redirectUris', ({ client }) => (client['kind'] = 'application')],
    ['record.secrets', (record) => (record.secrets = 'planted' as unknown as [])],
    [
      'record.secrets',
      (record) => (record.secrets = [...record.secrets, ...record.secrets, ...record.secrets]),
    ],
    ['record.secrets[0].hash', ({ secrets }) => (secrets[0]!['hash'] = 'planted')],
    ['record.secrets[0].expiresAt', ({ secrets }) => (secrets[0]!['expiresAt'] = 'planted')],
    ['record.listedAt', (record) => (record['listedAt'] = 1e15)],
    ['record.partialRevocations', (record) => (record['partialRevocations'] = 'planted')],
    ['record.partialRevocations.scopes', (record) => (record['partialRevocations'] = { since: 0 })],
    ['record', (record) => (record['v'] = 2)],
    ['record.deleted', (record) => (record['deleted'] = true)],
    ['record.client', (record) => (record.client = 'planted' as unknown as Record<string, unknown>)],
  ]

  it('a client with an invalid value is rejected, and the error names the path of the value and does not quote it', async () => {
    for (const [where, change] of CLIENTS) {
      const error = await importing(withClient(change)).catch((thrown: unknown) => thrown)
      expect(error, where).toEqual(
        rejection(`line ${at() + 1} of the registry cannot be imported:\n  - ${where}: must`),
      )
      expect(error).toMatchObject({
        problems: expect.arrayContaining([expect.objectContaining({ path: where })]),
      })
      expect(String(error)).not.toMatch(/planted|content/)
      expect(await clientIds(), where).toEqual([])
    }
  })

  it('an invalid redirect URI is rejected, and the error does not quote the URI', async () => {
    const line = kinds(file).lastIndexOf('client')
    const lines = file.with(
      line,
      (file[line] ?? '').replace('http://localhost:9/callback', 'http://planted.example/a'),
    )
    const error = await importing(lines).catch((thrown: unknown) => thrown)
    expect(error).toEqual(
      rejection(`line ${line + 1} of the registry cannot be imported:\n  - record.client.redirectUris[0]`),
    )
    expect(String(error)).not.toContain('planted')
    // The lines before the invalid line are imported.
    expect(await clientIds()).toHaveLength(2)
  })

  const LINES: readonly (readonly [what: string, line: string, message: string])[] = [
    ['that is not JSON', '{"is":\n', 'is not a line of an exported registry'],
    ['of an unknown kind', '{"is":"planted"}\n', 'of a kind that this version'],
    [
      'with 200,000 nested brackets',
      `{"is":"client","record":{"v":1,"client":${'['.repeat(200_000)}${']'.repeat(200_000)}}}\n`,
      'is not a line of an exported registry',
    ],
    [
      'with an invalid revocation',
      '{"is":"revocation","revocation":{"of":"planted"}}\n',
      'revocation: must be',
    ],
    [
      'with a revocation whose epoch is above the maximum',
      `{"is":"revocation","revocation":{"of":"client","id":"planted","below":${Number.MAX_SAFE_INTEGER},"until":9e9}}\n`,
      'revocation.below: must be a whole number from 0 to 1000000000',
    ],
    [
      'of a client whose id is not a text',
      '{"is":"client","record":{"v":1,"client":{"clientId":{"toString":"planted"}}}}\n',
      'record.client.kind: must be',
    ],
    [
      'of a deleted client whose id is not a text',
      '{"is":"deleted-client","clientId":{"toString":"planted"},"record":{"v":1,"deleted":true,"kind":"apiKey","epoch":0,"deletedAt":0}}\n',
      'clientId: must be a client id',
    ],
    [
      'of an invalid deleted client',
      '{"is":"deleted-client","clientId":"a","record":{"v":1}}\n',
      'record.kind: must',
    ],
    [
      'of a deleted client of an unknown kind',
      '{"is":"deleted-client","clientId":"ab","record":{"v":1,"deleted":true,"kind":"planted","epoch":0,"deletedAt":0}}\n',
      'record.kind: must be',
    ],
    [
      'with an invalid catalog',
      '{"is":"products","record":{"v":1,"epoch":-1,"products":[],"withdrawn":[1]}}\n',
      'version: must',
    ],
  ]

  it('such a line is rejected, and the error names the number of the line and does not quote it', async () => {
    for (const [what, line, message] of LINES) {
      const error = await importing(file.toSpliced(at(), 0, line)).catch((thrown: unknown) => thrown)
      expect(error, what).toEqual(rejection(`line ${at() + 1} of the registry`))
      expect(error, what).toEqual(rejection(message))
      expect(String(error)).not.toContain('planted')
      expect(await clientIds(), what).toEqual([])
    }
  })
})

describe('incomplete files', () => {
  it.each([
    ['a file without its last line', () => file.slice(0, -1)],
    ['a file that is cut in the middle of a line', () => [file.join('').slice(0, -20)]],
    [
      'a file that is cut in the middle of a character',
      () => [Buffer.from(file.join('')).subarray(0, Buffer.from(file.join('')).indexOf('Bücher') + 2)],
    ],
  ])(
    'the complete lines of %s are imported, and importing the whole file later adds the other lines',
    async (_, lines) => {
      await expect(importRegistry(host.gatehouse, Readable.from(lines()))).rejects.toThrow(
        rejection('ends in the middle. Its signing keys were not imported'),
      )
      expect((await clientIds()).length).toBeGreaterThanOrEqual(2)
      const { apiKeys, applications, conflicts } = await importing(file)
      expect(apiKeys + applications).toBeLessThanOrEqual(1)
      expect(conflicts).toEqual([])
      expect(await clientIds()).toHaveLength(3)
    },
  )

  it('a file with a missing line is rejected', async () => {
    await expect(importing(file.toSpliced(kinds(file).indexOf('client'), 1))).rejects.toThrow(
      rejection('states line counts that do not match the file'),
    )
  })

  it('a file with a line after its last line is rejected', async () => {
    await expect(importing([...file, file[3] ?? ''])).rejects.toThrow(
      rejection(`line ${file.length + 1} of the registry comes after`),
    )
  })

  it('importRegistry() rejects with the error of its source, and the lines before the error are imported', async () => {
    const failure = new Error('the disk is gone')
    async function* source() {
      yield* file.slice(0, -2)
      throw failure
    }
    await expect(importRegistry(host.gatehouse, source())).rejects.toBe(failure)
    expect(await clientIds()).toHaveLength(3)
  })
})
