import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Page } from '../../support/browser.ts'
import { asksFor, authorizationUrl, CALLBACK } from '../../support/host.ts'
import { textOf as textOfMarkup } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const pathOf = (clientId: string) => `/console/applications/${clientId}/settings`

const textOf = ({ body }: Pick<Page, 'body'>) => textOfMarkup(body)

/** The value that a text field shows. */
function shownIn({ body }: Page, name: string): string | undefined {
  return new RegExp(`<textarea[^>]*name="${name}"[^>]*>([^<]*)<|value="([^"]*)"\\s+id="${name}"`)
    .exec(body)
    ?.slice(1)
    .find((value) => value !== undefined)
}

/** What a browser sends for the fields of the form. Areas of several lines have to be given. */
const LINES = { redirectUris: CALLBACK, postLogoutRedirectUris: '' }

describe('the settings of an application', () => {
  let host: ConsoleHost
  beforeAll(async () => {
    host = await startConsole({ store: memoryStore() })
  })
  afterAll(() => host.close())
  const read = (clientId: string) => host.gatehouse.applications.find(clientId)

  it('all settings are saved in one change, and users are sent to the new redirect URI only', async () => {
    const { client_id } = await host.createApplication({
      name: 'Ledger',
      homepageUri: 'https://old.example/',
    })
    const visitor = host.visit('acme')
    const page = await visitor.open(pathOf(client_id))
    expect(shownIn(page, 'name')).toBe('Ledger')
    expect(shownIn(page, 'redirectUris')).toBe(CALLBACK)
    expect(shownIn(page, 'homepageUri')).toBe('https://old.example/')
    const changes: string[] = []
    const listener = ({ change }: { change: string }) => void changes.push(change)
    host.gatehouse.on('client.changed', listener)

    const saved = await visitor.submit(page, 'save', {
      name: 'Tallybook',
      redirectUris: ' https://new.example/callback \r\n\r\nhttps://new.example/other\r\n',
      postLogoutRedirectUris: 'https://new.example/bye',
      homepageUri: '',
      logoUri: 'https://new.example/logo.png',
      privacyUri: 'https://new.example/privacy',
      termsUri: 'https://new.example/terms',
    })
    host.gatehouse.off('client.changed', listener)
    expect(saved.status).toBe(200)
    expect(textOf(saved)).toContain('The settings are saved. They apply at once.')
    expect(changes).toHaveLength(1)
    const application = await read(client_id)
    expect(application).toMatchObject({
      name: 'Tallybook',
      redirectUris: ['https://new.example/callback', 'https://new.example/other'],
      postLogoutRedirectUris: ['https://new.example/bye'],
      logoUri: 'https://new.example/logo.png',
      privacyUri: 'https://new.example/privacy',
      termsUri: 'https://new.example/terms',
    })
    expect(application?.homepageUri).toBeUndefined()

    const { browser } = host.visit('alice')
    expect((await browser.open(authorizationUrl(host, client_id))).status).toBe(400)
    const accepted = await browser.open(
      authorizationUrl(host, client_id, { redirect_uri: 'https://new.example/other' }),
    )
    expect(asksFor(accepted)).toBe('consent')
  })

  it('a form from before a newer change saves nothing, and shows the newer settings and what was entered', async () => {
    const { client_id } = await host.createApplication({ name: 'Ledger' })
    const visitor = host.visit('acme')
    const old = await visitor.open(pathOf(client_id))
    await visitor.submit(await visitor.open(pathOf(client_id)), 'save', {
      ...LINES,
      name: 'Newer',
      privacyUri: 'https://new.example/privacy',
    })

    const late = await visitor.submit(old, 'save', { ...LINES, name: 'Older <b>' })
    expect(late.status).toBe(422)
    expect(textOf(late)).toContain('It was changed meanwhile')
    expect(late.body).toContain('Older &lt;b&gt;')
    expect(shownIn(late, 'name')).toBe('Newer')
    expect(shownIn(late, 'privacyUri')).toBe('https://new.example/privacy')
    expect(await read(client_id)).toMatchObject({ name: 'Newer', privacyUri: 'https://new.example/privacy' })

    const retried = await visitor.submit(late, 'save', { ...LINES, name: 'Final' })
    expect(textOf(retried)).toContain('The settings are saved.')
    expect(await read(client_id)).toMatchObject({ name: 'Final', privacyUri: 'https://new.example/privacy' })
  })

  it('a form that is sent twice is saved once, and both answers say that it is saved', async () => {
    const { client_id } = await host.createApplication({ name: 'Ledger' })
    const visitor = host.visit('acme')
    const page = await visitor.open(pathOf(client_id))
    const send = (name: string) => visitor.submit(page, 'save', { ...LINES, name })
    for (const saved of [await send('Twice'), await send('Twice')]) {
      expect(textOf(saved)).toContain('The settings are saved.')
    }
    expect(await read(client_id)).toMatchObject({ name: 'Twice' })
    const fresh = await visitor.open(pathOf(client_id))
    const together = [1, 2, 3].map(() => visitor.submit(fresh, 'save', { ...LINES, name: 'Together' }))
    for (const saved of await Promise.all(together))
      expect(textOf(saved)).toContain('The settings are saved.')
    expect(await read(client_id)).toMatchObject({ name: 'Together' })
  })
})

describe('the settings of an application in detail', () => {
  let host: ConsoleHost
  beforeAll(async () => {
    host = await startConsole({
      store: memoryStore(),
      accounts: { can: (ctx, permission) => permission !== 'applications:write' || !ctx.get('x-read-only') },
    })
  })
  afterAll(() => host.close())
  const read = (clientId: string) => host.gatehouse.applications.find(clientId)
  const TYPED = '\nhttps://good.example/\n\nhttps://*.example/\nhttps://good.example/#x'

  it('problems name the lines as the person typed them, and nothing is saved', async () => {
    const { client_id } = await host.createApplication({ name: 'Ledger' })
    const visitor = host.visit('acme')
    const page = await visitor.open(pathOf(client_id))
    const answer = await visitor.submit(page, 'save', {
      name: 'Changed',
      redirectUris: TYPED,
      postLogoutRedirectUris: '',
      logoUri: 'http://localhost/logo.png',
    })
    expect(answer.status).toBe(422)
    // Browsers leave out the line break after the tag.
    expect(shownIn(answer, 'redirectUris')).toBe(`\n${TYPED}`)
    const [, problem = ''] = /id="redirectUris-problem"[^>]*>([^]*?)<\/p/.exec(answer.body) ?? []
    expect(textOf({ body: problem })).toMatch(/^Line 4: .*wildcard.* Line 5: .*fragment/)
    expect(textOf(answer)).toMatch(/Redirect URIs, line 4 : .*wildcard.* Redirect URIs, line 5 : .*fragment/)
    expect(answer.body).toContain('id="logoUri-problem"')
    expect(shownIn(answer, 'name')).toBe('Changed')
    expect(await read(client_id)).toMatchObject({ name: 'Ledger', redirectUris: [CALLBACK] })
  })

  it('the form cannot change what only code may set', async () => {
    const { client_id } = await host.createApplication({ name: 'Ledger' })
    const visitor = host.visit('acme')
    const page = await visitor.open(pathOf(client_id))
    await visitor.submit(page, 'save', { ...LINES, name: 'Ledger 2', firstParty: 'true', accountId: 'bob' })
    expect(await read(client_id)).toMatchObject({ name: 'Ledger 2', firstParty: false, accountId: 'acme' })
  })
})
