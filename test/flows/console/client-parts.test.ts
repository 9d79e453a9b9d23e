import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { formsOf } from '../../support/browser.ts'
import { createPublicApplication } from '../../support/public-application.ts'
import { textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const PARTS = ['', '/access', '/secrets', '/restrictions', '/usage', '/activity', '/settings']

/** The tabs of a page: the parts, and which of them is the present page. */
function tabsOf(body: string, path: string) {
  const [nav = ''] = /<nav class="choice-links tabs"[^]*?<\/nav>/.exec(body) ?? []
  const links = [...nav.matchAll(/<a href="([^"]*)"\s*(aria-current="page")?/g)]
  return {
    parts: links.map(([, href = '']) => href.replace(path, '')),
    current: links.filter(([, , current]) => current).map(([, href = '']) => href.replace(path, '')),
  }
}

describe('the parts of a client', () => {
  let host: ConsoleHost
  let paths: Record<'key' | 'application' | 'public', string>
  /** The permissions that the host denies. */
  let denied: readonly string[] = []
  beforeAll(async () => {
    host = await startConsole({
      store: memoryStore(),
      gatehouse: { publicApplications: true },
      accounts: { can: (_ctx, permission) => !denied.includes(permission) },
    })
    const [key, application] = [await host.createApiKey(), await host.createApplication()]
    paths = {
      key: `/api-keys/${key.client_id}`,
      application: `/applications/${application.client_id}`,
      public: `/applications/${await createPublicApplication(host)}`,
    }
  })
  afterAll(() => host.close())

  const idOf = (path: string) => path.split('/').at(-1) ?? ''

  it.each(['key', 'application', 'public'] as const)(
    '%s: each part has an address and a tab, for its owner and for operators',
    async (kind) => {
      const own = paths[kind]
      const parts = kind === 'public' ? PARTS.filter((part) => part !== '/secrets') : PARTS
      for (const [person, path] of [
        ['acme', `/console${own}`],
        ['root', `/console/operator/clients/${idOf(own)}`],
      ] as const) {
        for (const part of parts) {
          const { status, body } = await host.visit(person).get(path + part)
          expect([path + part, status]).toEqual([path + part, 200])
          expect(tabsOf(body, path)).toEqual({ parts, current: [part] })
        }
        if (kind === 'public') expect((await host.visit(person).get(`${path}/secrets`)).status).toBe(404)
      }
    },
  )

  it('no part is shown to another account, to a person who may not read, or to a person who is no operator', async () => {
    for (const path of Object.values(paths)) {
      for (const part of PARTS) {
        expect((await host.visit('bob').get(`/console${path}${part}`)).status).toBe(404)
        const ofOperators = `/console/operator/clients/${idOf(path)}${part}`
        expect((await host.visit('acme').get(ofOperators)).status).toBe(403)
        denied = ['keys:read', 'applications:read']
        expect((await host.visit('acme').get(`/console${path}${part}`)).status).toBe(403)
        denied = []
      }
    }
  })

  it('a person who may not read the audit trail has no tab for the activity', async () => {
    denied = ['audit:read']
    const path = `/console${paths.key}`
    const { body } = await host.visit('acme').get(path)
    expect(tabsOf(body, path).parts).not.toContain('/activity')
    expect((await host.visit('acme').get(`${path}/activity`)).status).toBe(403)
    denied = []
  })

  it('a page has one form with one Save, and tells all mistakes at once', async () => {
    const visitor = host.visit('acme')
    for (const path of [paths.key, paths.application]) {
      for (const part of ['/restrictions', '/settings']) {
        const page = await visitor.open(`/console${path}${part}`)
        expect([part, formsOf(page).length]).toEqual([part, 1])
      }
      const page = await visitor.open(`/console${path}/restrictions`)
      const wrong = { expiry: 'other', expiresAt: '2001-01-01', allowedAddresses: '203.0.113.0/24\nhere' }
      const rejected = await visitor.submit(page, 'restrict', wrong)
      expect(rejected.status).toBe(422)
      expect(rejected.body).toContain('id="expiresAt-problem"')
      expect(rejected.body).toContain('id="allowedAddresses-problem"')
      expect(rejected.body).toContain('value="2001-01-01"')
      const right = { expiry: 'other', expiresAt: '2099-12-31', allowedAddresses: '203.0.113.0/24' }
      const saved = await visitor.submit(rejected, 'restrict', right)
      expect([saved.url.pathname, saved.status]).toEqual([`/console${path}/restrictions`, 200])
      const { apiKeys, applications } = host.gatehouse
      const client = (await apiKeys.find(idOf(path))) ?? (await applications.find(idOf(path)))
      expect(client).toMatchObject({ expiresAt: 4_102_444_800, allowedAddresses: ['203.0.113.0/24'] })
      await visitor.submit(saved, 'restrict', { expiry: '', allowedAddresses: '' })
    }
    const settings = await visitor.open(`/console${paths.application}/settings`)
    const rejected = await visitor.submit(settings, 'save', { name: ' ', redirectUris: 'x', logoUri: 'y' })
    for (const field of ['name', 'redirectUris', 'logoUri'])
      expect(rejected.body).toContain(`id="${field}-problem"`)
  })

  it('after an action the person is back at the part with the button', async () => {
    const visitor = host.visit('acme')
    const path = `/console${paths.key}`
    const disabled = await visitor.submit(await visitor.open(`${path}/settings`), 'disable')
    expect([disabled.url.pathname, textOf(disabled.body).includes('It is disabled')]).toEqual([
      `${path}/settings`,
      true,
    ])
    const summary = await visitor.open(path)
    expect(textOf(summary.body)).toContain('It is disabled: it gets no tokens')
    expect((await visitor.submit(summary, 'enable')).url.pathname).toBe(path)
    const report = await visitor.open(`${path}/report-compromised`)
    expect(report.body).toMatch(new RegExp(`href="${path}/secrets"[^>]*>Cancel`))
    expect((await visitor.submit(report, 'reportCompromised')).url.pathname).toBe(`${path}/secrets`)
  })

  it('an account without people reads why it cannot hand a client over, and what is counted of the users of an application', async () => {
    const settings = async (person: string) =>
      textOf((await host.visit(person).open(`/console${paths.key}/settings`)).body)
    expect(await settings('acme')).toMatch(
      /Hand over API key It belongs to the account, and stays .* no person to give it to/,
    )
    expect(await settings('acme/anna')).toMatch(/Hand over API key Without a person, .* Hand over Delete/)
    const summary = async (path: string) => textOf((await host.visit('acme').open(`/console${path}`)).body)
    expect(await summary(paths.application)).toContain('Users They are not counted. Its activity lists when')
    expect(await summary(paths.key)).not.toContain('They are not counted')
  })

  it('a public application reads why addresses hardly fit, and an operator changes nothing of the owner', async () => {
    const restrictions = await host.visit('acme').open(`/console${paths.public}/restrictions`)
    expect(textOf(restrictions.body)).toContain('It runs on the devices of its users')
    const path = `/console/operator/clients/${idOf(paths.application)}`
    for (const part of PARTS) {
      const { body } = await host.visit('root').get(path + part)
      expect([part, body]).toEqual([part, expect.not.stringMatching(/value="(save|restrict|addProduct)"/)])
    }
    expect((await host.visit('root').get(`${path}/settings`)).body).toContain('confirm=revokeTokens')
  })
})

describe('the parts of a client without optional parts', () => {
  it('there is no usage and no limit without `createUsage()` and `createLimits()`', async () => {
    const host = await startConsole({
      store: memoryStore(),
      console: { usage: undefined, limits: undefined },
    })
    const { client_id: id } = await host.createApiKey()
    for (const [person, path] of [
      ['acme', `/console/api-keys/${id}`],
      ['root', `/console/operator/clients/${id}`],
    ] as const) {
      const { body } = await host.visit(person).get(path)
      expect(tabsOf(body, path).parts).toEqual(PARTS.filter((part) => part !== '/usage'))
      expect((await host.visit(person).get(`${path}/usage`)).status).toBe(404)
      expect((await host.visit(person).get(`${path}/restrictions`)).body).not.toMatch(/id="limits"/)
    }
    await host.close()
  })
})
