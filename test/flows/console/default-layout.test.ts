import { afterEach, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { clearSession } from '../../support/session-cookie.ts'
import { textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

/** The text and the links of the header of a document. */
function headerOf(body: string) {
  const header = /<header class="service">[^]*?<\/header>/.exec(body)?.[0] ?? ''
  return { text: textOf(header), links: [...header.matchAll(/href="([^"]*)"/g)].map(([, href]) => href) }
}

describe('the layout of the console without the option layout', () => {
  let host: ConsoleHost
  afterEach(() => host.close())

  it('names who is signed in, and leads to the sign-out and back to the host', async () => {
    host = await startConsole({
      store: memoryStore(),
      accounts: { signOut: clearSession },
      gatehouse: { branding: { name: 'Depotly' } },
      console: { homeUrl: '/start' },
    })
    const visitor = host.visit('acme/anna')
    const page = await visitor.open('/console')
    expect(page.body).toContain('<title>Overview · Depotly</title>')
    const { text, links } = headerOf(page.body)
    expect(text).toBe('Depotly Back to Depotly Anna Ash Sign out')
    expect(links).toEqual(['/start', `${host.issuer}/oauth2/logout`])
    expect(headerOf((await host.visit('bob').open('/console')).body).text).toContain('Bob Sign out')

    const question = await visitor.browser.open(links[1]!)
    await visitor.browser.submit(question, { button: ['logout', 'yes'] })
    expect((await visitor.get('/console')).status).toBe(303)
  })

  it('without a name of the service it has a title, and without accounts.signOut and homeUrl no links', async () => {
    host = await startConsole({ store: memoryStore() })
    const { body } = await host.visit('acme').open('/console')
    expect(body).toContain('<title>Overview · Developer console</title>')
    expect(headerOf(body)).toEqual({ text: 'Developer console Acme Ltd', links: [] })
    const german = await host.visit('acme').get('/console', { 'accept-language': 'de' })
    expect(headerOf(german.body).text).toBe('Entwicklerkonsole Acme Ltd')
    const failed = await host.visit('acme').get('/console/nothing')
    expect([failed.status, headerOf(failed.body).text]).toEqual([404, 'Developer console'])
  })
})
