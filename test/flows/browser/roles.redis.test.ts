import { randomUUID } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import type { Account } from 'koa-gatehouse'
import { compileHostProgram, type HostProcess, type HostProgram } from '../../support/host-process.ts'
import { hostRequests, type Client } from '../../support/host-requests.ts'
import { authorize, startHost, type Host, type Tokens } from '../../support/host.ts'
import { temporaryFolder } from '../../support/package-copy.ts'
import { describeEachShared } from '../../support/stores.ts'

const READ = 'GET /invoices/list'
const CREATE = 'POST /invoices/create'
const VIEWER = ['invoices:read']
const EDITOR = ['invoices:read', 'invoices:create']

describeEachShared('the roles of a company, in two processes', (deploy, deployment) => {
  let program: HostProgram
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  /** This process shows the pages. The other process issues tokens and answers API calls. */
  let host: Host
  let other: HostProcess & ReturnType<typeof hostRequests>
  let application: Client

  const accounts: Record<string, Account> = {
    acme: { id: 'acme', kycLevel: 'verified', claims: { name: 'Acme Ltd' } },
    firm: { id: 'firm', claims: { name: 'The firm' } },
    'firm/editor': { id: 'firm', claims: { name: 'Ed Editor' }, operations: EDITOR },
  }
  /** By a rename, because the other process reads the file at each refresh, so it must never read half of it. */
  const save = () => {
    const file = path.join(folder.folder, 'accounts.json')
    writeFileSync(`${file}.new`, JSON.stringify(accounts))
    renameSync(`${file}.new`, file)
  }

  beforeAll(async () => {
    folder = await temporaryFolder('koa-gatehouse-roles')
    save()
    const data = randomUUID()
    program = await compileHostProgram()
    host = await startHost({
      store: deploy(data),
      gatehouse: {
        accounts: {
          find: (id, user) => accounts[user === undefined ? id : `${id}/${user}`],
          authenticate({ identifier }) {
            const [accountId = '', userId] = identifier.split('/')
            return { accountId, userId }
          },
        },
      },
    })
    await host.gatehouse.ready()
    const { issuer, audience } = host
    const accountsFile = path.join(folder.folder, 'accounts.json')
    const child = await program.start({ deployment, keyPrefix: `${data}:`, issuer, audience, accountsFile })
    const addresses = { issuer: child.address, audience: `http://localhost:${child.port}/api` }
    other = { ...child, ...hostRequests({ fetch, ...addresses }) }
    application = await host.createApplication()
  }, 120_000)
  afterAll(async () => {
    await host?.close()
    await program?.remove()
    await folder?.remove()
  })

  /** The editor approves the application in this process, and the other process issues the tokens. */
  async function connect(): Promise<Tokens> {
    const parameters = { scope: 'openid invoices:read invoices:create payments:list', prompt: 'consent' }
    const { code } = await authorize(host, application.client_id, { parameters, user: 'firm/editor' })
    return (await other.exchangeCode(application, code)).body as unknown as Tokens
  }
  const refresh = async ({ refresh_token }: Tokens) => {
    const { status, text, body } = await other.refresh(application, refresh_token)
    if (status !== 200) throw new Error(`a refresh was answered with ${status}: ${text}`)
    return body as unknown as Tokens
  }
  const callBoth = async (target: string, token: string) => [
    (await host.call(target, token)).status,
    (await other.call(target, token)).status,
  ]

  it('after a role is lowered in one process, no token with a lost operation is accepted in any process, although the other process refreshes all the time', async () => {
    const families = [await connect(), await connect(), await connect()]
    const issued: string[] = families.map(({ access_token }) => access_token)
    expect(families.map(({ scope }) => scope)).toEqual(families.map(() => ['openid', ...EDITOR].join(' ')))
    let isOver = false
    onTestFinished(() => void (isOver = true))
    const refreshing = Promise.all(
      families.map(async (family) => {
        let last = family
        while (!isOver) {
          last = await refresh(last)
          issued.push(last.access_token)
        }
        return last
      }),
    )
    await vi.waitFor(() => expect(issued.length).toBeGreaterThan(15), { timeout: 50_000 })
    accounts['firm/editor'] = { ...accounts['firm/editor'], id: 'firm', operations: VIEWER }
    save()
    const { grants } = await host.gatehouse.accounts.changed('firm', { userId: 'editor' })
    expect(grants).toBeGreaterThanOrEqual(3)
    for (const token of issued.slice()) {
      if (scopesOf(token).includes('invoices:create'))
        expect((await host.call(CREATE, token)).status).toBe(401)
    }
    isOver = true
    const latest = await refreshing
    await vi.waitFor(
      async () => {
        for (const token of issued) {
          const isLost = scopesOf(token).includes('invoices:create')
          expect(await callBoth(CREATE, token)).toEqual(isLost ? [401, 401] : [403, 403])
        }
      },
      { timeout: 20_000 },
    )
    for (const family of latest) {
      const limited = await refresh(family)
      expect(limited.scope).toBe('openid invoices:read')
      expect(await callBoth(READ, limited.access_token)).toEqual([200, 200])
    }
  }, 120_000)
})

function scopesOf(token: string): string[] {
  const [, claims = ''] = token.split('.')
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { scope: string }).scope.split(' ')
}
