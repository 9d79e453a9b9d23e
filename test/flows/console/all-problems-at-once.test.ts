import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { addressOf, createTargets, PAGES, stateOf, type Targets } from './attack-setup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const WRONG_URL = 'ftp://wrong.example'

/** A wrong value of each field that can be wrong, for each form that has two such fields or more. */
const FORMS: Readonly<Record<string, Readonly<Record<string, string | string[]>>>> = {
  '/api-keys/new create': { name: ' ', key: 'wrong', product: [], expiresAt: '2001-01-01' },
  '/applications/new create': {
    name: ' ',
    key: 'wrong',
    product: [],
    redirectUris: WRONG_URL,
    expiresAt: '2001-01-01',
  },
  '/applications/:clientId/settings save': {
    redirectUris: WRONG_URL,
    postLogoutRedirectUris: WRONG_URL,
    name: ' ',
    homepageUri: WRONG_URL,
    logoUri: WRONG_URL,
    privacyUri: WRONG_URL,
    termsUri: WRONG_URL,
  },
  '/api-keys/:clientId/restrictions restrict': { expiresAt: '2001-01-01', allowedAddresses: 'wrong' },
  '/applications/:clientId/restrictions restrict': { expiresAt: '2001-01-01', allowedAddresses: 'wrong' },
  '/operator/clients/:clientId/restrictions limits': { perMinute: 'many', perDay: '0' },
}

describe('a form with several mistakes', () => {
  let host: ConsoleHost
  let targets: Targets
  beforeAll(async () => {
    host = await startConsole({
      store: memoryStore(),
      gatehouse: { publicApplications: true, privateKeyJwt: true },
    })
    targets = await createTargets(host)
  })
  afterAll(() => host.close())

  const pageAt = (path: string) =>
    host.visit(path.startsWith('/operator') ? 'root' : 'acme').open(addressOf(path, targets))

  it('every form of the console with several fields is in the list of this test', async () => {
    const found = await Promise.all(
      PAGES.map(async ({ path }) => {
        const forms = (await pageAt(path)).body.match(/<form\b[^>]*method="post"[^]*?<\/form>/g) ?? []
        return forms.flatMap((form) => {
          const fields = form.match(/<textarea|<input[^>]*\btype="(text|url|date)"|<fieldset id=/g) ?? []
          const [, action = ''] = /name="action"\s+value="(\w+)"/.exec(form) ?? []
          return fields.length > 1 ? [`${path} ${action}`] : []
        })
      }),
    )
    expect(found.flat().toSorted()).toEqual(Object.keys(FORMS).toSorted())
  })

  it.each(Object.entries(FORMS))('%s: one answer tells all, each beside its field', async (form, wrong) => {
    const [path = '', action = ''] = form.split(' ')
    const visitor = host.visit(path.startsWith('/operator') ? 'root' : 'acme')
    const page = await pageAt(path)
    const before = await stateOf(host, targets)
    // The day of an expiry counts only if this choice is made.
    const { status, body } = await visitor.submit(page, action, { expiry: 'other', ...wrong })
    expect(status).toBe(422)
    const [alert = ''] = /<div class="notice bad" role="alert">[^]*?<\/div>/.exec(body) ?? []
    const told = [...alert.matchAll(/<li><a href="#(\w+)"/g)].map(([, name = '']) => name)
    const names = Object.keys(wrong).map((name) => (name === 'product' ? 'products' : name))
    expect(told.toSorted()).toEqual(names.toSorted())
    for (const name of names) {
      expect(body).toMatch(new RegExp(`<(input|textarea|fieldset)[^>]*id="${name}"`))
      expect(body).toContain(`id="${name}-problem"`)
    }
    expect(await stateOf(host, targets)).toBe(before)
  })
})
