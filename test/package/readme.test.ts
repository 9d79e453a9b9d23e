import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { copyPackage, runToEnd } from '../support/package-copy.ts'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const readme = read('README.md')

/** The cells of all table rows, by the name in backticks in the first cell. */
const rows = new Map(
  [...readme.matchAll(/^\| `([\w.]+)` *\|(.*)\|$/gm)].map(([, name = '', cells = '']) => [
    name,
    cells.split('|').map((cell) => cell.trim()),
  ]),
)

/** The properties of an interface, with their doc comments. */
function propertiesOf(source: string, name: string): { name: string; doc: string }[] {
  const start = source.search(new RegExp(`^export interface ${name}\\b`, 'm'))
  const body = source.slice(start, source.indexOf('\n}', start))
  return [...body.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s+readonly (\w+)\??:/g)].map(
    ([, doc = '', property = '']) => ({ name: property, doc: doc.replace(/\s*\n\s*\*/g, '').trim() }),
  )
}

describe('the README', () => {
  it('the README contains the quick start of examples/minimal.ts, which has at most 40 lines', () => {
    const [, block] = readme.match(/<!-- examples\/minimal\.ts -->\s+```ts\n([^]*?)```/) ?? []
    expect(block).toBe(read('examples/minimal.ts'))
    expect(block?.trimEnd().split('\n').length).toBeLessThanOrEqual(40)
  })

  it('the README lists every option with its default', () => {
    const source = read('src/options/options.ts')
    const nested = ['lifetimes', 'signInAttempts', 'branding', 'revocations', 'signingKeys']
    const options = propertiesOf(source, 'GatehouseOptions').filter(({ name }) => !nested.includes(name))
    const lifetimes = propertiesOf(source, 'Lifetimes').map((p) => ({ ...p, name: `lifetimes.${p.name}` }))
    const branding = propertiesOf(source, 'Branding').map((p) => ({ ...p, name: `branding.${p.name}` }))
    const attempts = propertiesOf(source, 'SignInAttempts').map((p) => ({
      ...p,
      name: `signInAttempts.${p.name}`,
    }))
    const revocations = propertiesOf(source, 'RevocationOptions').map((p) => ({
      ...p,
      name: `revocations.${p.name}`,
    }))
    const signingKeys = ['RotationSchedule', 'HostKeys']
      .flatMap((name) => propertiesOf(source, name))
      .map((p) => ({ ...p, name: `signingKeys.${p.name}` }))
    const ofGateway = propertiesOf(source, 'GatewayOptions')
    expect(ofGateway.length).toBeGreaterThan(10)
    const all = [
      ...options,
      ...lifetimes,
      ...attempts,
      ...branding,
      ...revocations,
      ...signingKeys,
      ...ofGateway,
    ]
    expect(all.length).toBeGreaterThan(40)
    expect(all.filter(({ name }) => !rows.has(name)).map(({ name }) => name)).toEqual([])

    // The table in the README must name the default of the doc comment.
    for (const { name, doc } of all) {
      const [, value] = doc.match(/@default ('[^']*'|\d+|true|false|\[\])/) ?? []
      if (value !== undefined) expect(rows.get(name)?.at(-1), name).toContain(`\`${value}\``)
    }
  })

  it('the README lists every error code with its status', () => {
    const statuses = [...read('src/errors.ts').matchAll(/^ {2}(ERR_\w+): (\d+),$/gm)]
    expect(statuses.length).toBeGreaterThan(10)
    for (const [, code = '', status] of statuses) expect(rows.get(code)?.[0], code).toBe(status)
    const codes = statuses.map(([, code]) => code)
    expect([...rows.keys()].filter((name) => name.startsWith('ERR_') && !codes.includes(name))).toEqual([])
  })

  it('the README lists every event', () => {
    const events = [...read('src/host/events.ts').matchAll(/^ {2}'?([\w.]+)'?: true,$/gm)]
    expect(events.length).toBeGreaterThan(20)
    for (const [, event] of events) expect(readme).toContain(`\`${event}\``)
  })

  it('the README links to files and headings that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target)
    const headings = [...readme.matchAll(/^#+ (.+)$/gm)].map(
      ([, text = '']) =>
        `#${text
          .toLowerCase()
          .replace(/[^\w\- ]/g, '')
          .replaceAll(' ', '-')}`,
    )
    expect(links.length).toBeGreaterThan(10)
    const broken = links.filter((target) =>
      target.startsWith('#') ? !headings.includes(target) : !existsSync(path.join(root, target)),
    )
    expect(broken).toEqual([])
  })

  it('the README and CONTRIBUTING name scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json'))
    const commands = ['README.md', 'CONTRIBUTING.md'].flatMap((file) => [
      ...read(file).matchAll(/npm run ([\w:]+)/g),
    ])
    for (const [, script = ''] of commands) expect(scripts).toHaveProperty([script])
  })
})

describe('the code in the README', () => {
  let remove: (() => Promise<void>) | undefined
  afterAll(() => remove?.())

  it('every code block of the README compiles', async () => {
    const copy = await copyPackage()
    remove = copy.remove
    const folder = path.join(copy.folder, 'readme')
    await mkdir(folder)
    const blocks = [...readme.matchAll(/^```ts\n([^]*?)^```/gm)].map(([, code = '']) => code)
    expect(blocks.length).toBeGreaterThan(10)
    await Promise.all(
      blocks.map((code, i) => writeFile(path.join(folder, `block-${i + 1}.ts`), `${code}\nexport {}\n`)),
    )
    await writeFile(path.join(folder, 'surroundings.d.ts'), SURROUNDINGS)
    await writeFile(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: '../tsconfig.json',
        compilerOptions: {
          noUnusedLocals: false,
          noUnusedParameters: false,
          rootDir: '..',
          outDir: '../dist',
        },
        include: ['.'],
      }),
    )
    await runToEnd(folder, process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc')])
  })
})

/** The declarations of the app that the code blocks use. */
const SURROUNDINGS = `
import type { Server } from 'node:http'
import type { Redis as RedisClient } from 'ioredis'
import type Koa from 'koa'
import type { Middleware } from 'koa'
import type KoaRouter from '@koa/router'
import type { Gatehouse, GatehouseOptions, Logger, ProductDefinition, ProductDefinitions } from 'koa-gatehouse'
import type { WebSocketServer } from 'ws'

interface ClientRow {
  accountId: string
  name: string
  products: string[]
  redirectUris: string[] | null
  disabled: boolean
  epoch: number
}

declare global {
  const logger: Logger
  const app: Koa
  const api: Koa
  const router: KoaRouter
  const server: Server
  const redis: RedisClient
  const issuer: string
  const leakedToken: string
  const audience: string
  const webSocketServer: WebSocketServer
  const products: ProductDefinitions<'none' | 'basic' | 'verified'>
  const options: Omit<GatehouseOptions, 'products' | 'kycLevels' | 'accounts'> & { accounts: { find(id: string): undefined } }
  const gatehouse: Gatehouse<'invoices:read' | 'invoices:create', 'invoices' | 'payments'>
  const createGatehouse: typeof import('koa-gatehouse').createGatehouse
  const createGateway: typeof import('koa-gatehouse/gateway').createGateway
  const redisStore: typeof import('koa-gatehouse/adapters/redis').redisStore
  const cors: () => Middleware
  const mount: typeof import('koa-mount')
  const db: {
    account(id: string): Promise<{ id: string; kycLevel: 'none' | 'basic' | 'verified'; name: string; email: string } | undefined>
    setKycLevel(id: string, kycLevel: 'none' | 'basic' | 'verified'): Promise<void>
    products(): Promise<(Pick<ProductDefinition, 'title' | 'operations'> & { id: string })[]>
    client(id: string): Promise<ClientRow | undefined>
    secretHashes(id: string): Promise<string[]>
  }
  const metrics: { count(name: string, details: object): void }
  const audit: { write(entry: object): void }
  const reportsOf: (accountId: string) => object[]
}
`
