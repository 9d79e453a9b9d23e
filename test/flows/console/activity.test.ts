import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { silentLogger, type Logger } from '../../../src/host/logger.ts'
import { connect } from '../../support/host.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

/** The text of a page: without markup, and with single spaces. */
const textOf = (body: string) =>
  body
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\s+([.,;”])/g, '$1')
    .replaceAll('“ ', '“')

describe('the activity of an account', () => {
  let host: ConsoleHost
  const warn = vi.fn<Logger['warn']>()
  beforeAll(async () => {
    host = await startConsole({ store: memoryStore(), gatehouse: { logger: { ...silentLogger, warn } } })
  })
  afterAll(() => host.close())

  it('every change of a client is a sentence, with its author and its origin', async () => {
    const { apiKeys, applications } = host.gatehouse
    const by = { actor: 'acme/anna', address: '192.0.2.7', userAgent: 'curl/8.5.0 extra' }
    const { apiKey } = await apiKeys.create({ accountId: 'acme', name: 'Nightly', ...by })
    const { clientId } = apiKey
    await apiKeys.addProduct(clientId, 'payments', by)
    await apiKeys.removeOperation(clientId, 'payments:transfer', by)
    await apiKeys.reportCompromised(clientId, by)
    const app = await applications.create({ accountId: 'acme', name: 'App', redirectUris: [], ...by })
    const { application } = app
    const fields = { name: 'Ledger', logoUri: 'https://a.example/l.png' }
    await applications.update(application.clientId, fields, by)
    await applications.delete(application.clientId, by)

    const { body } = await host.visit('acme').get('/console/activity')
    const text = textOf(body)
    for (const sentence of [
      'Created',
      'Product “Payments” added',
      'Operation “Move money” removed, and its tokens revoked',
      'Reported as leaked: secrets and tokens revoked',
      'Changed: name and logo',
      'Deleted, and its tokens revoked',
      'Anna Ash',
      '192.0.2.7',
      'API key Nightly',
      'Application Ledger',
    ]) {
      expect(text).toContain(sentence)
    }
    expect(text).not.toContain('acme/anna')
    expect(body).toContain('title="acme/anna"')
    expect(text).not.toMatch(/product\.|operation\.|secret\.|tokens\.|client\./)
    expect(text.indexOf('Deleted,')).toBeLessThan(text.indexOf('Changed: name and logo'))
    expect(body).not.toContain(`href="/console/applications/${application.clientId}"`)
    expect(body).toContain('title="curl/8.5.0 extra"')
    expect(body.length).toBeLessThan(40_000)
  })

  it('if a program refreshes in parallel, the developer reads how soon it sent one refresh token twice and what to change, and the log names the option', async () => {
    const client = await host.createApplication({ accountId: 'acme', name: 'Parallel' })
    const { refresh_token } = await connect(host, client, { browser: host.visit('alice/zoe').browser })
    await Promise.all([host.refresh(client, refresh_token), host.refresh(client, refresh_token)])
    const { body } = await host.visit('acme').get(`/console/applications/${client.client_id}/activity`)
    expect(textOf(body)).toMatch(
      /The program sent one refresh token twice within \d+ s\. Change it: one refresh at a time, and store/,
    )
    expect(body).not.toContain('refreshTokenGraceSeconds')
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      { clientId: client.client_id, afterSeconds: expect.any(Number) as number },
      expect.stringContaining('the option refreshTokenGraceSeconds allows such a retry'),
    )
  })

  it('the owner of a client sees neither who connected it nor which operator changed it', async () => {
    const client = await host.createApplication({ accountId: 'acme', name: 'Ledger of Acme' })
    await connect(host, client, { browser: host.visit('alice/zoe').browser })
    const from = { address: '192.0.2.99', userAgent: 'Operator-Browser/1.0' }
    const id = client.client_id
    await host.gatehouse.applications.disable(id, { actor: 'root', ...from })
    await host.gatehouse.applications.enable(id, { actor: 'billing job', ...from })

    const { body: page } = await host.visit('acme').get(`/console/applications/${id}/activity`)
    expect(textOf(page)).toContain('Application allowed to use the account')
    expect(page).toMatch(/>the service<[^]*>a user</)
    const { body: activity } = await host.visit('acme').get('/console/activity')
    expect(textOf(activity)).toContain('Enabled Application Ledger of Acme the service')
    const { body: overview } = await host.visit('acme').get('/console')
    for (const shown of [page, activity, overview]) {
      expect(shown).not.toMatch(/alice|zoe|\broot\b|billing job|192\.0\.2\.99|Operator-Browser/)
    }

    const { body: operators } = await host.visit('root').get(`/console/operator/clients/${id}/activity`)
    for (const name of ['alice/zoe', 'root', 'billing job', '192.0.2.99', 'Operator-Browser/1.0']) {
      expect(operators).toContain(name)
    }
    // The user sees their own connection in full.
    const { body: own } = await host.visit('alice/zoe').get('/console/activity')
    expect(own).toContain('title="alice/zoe"')
  })

  it('what was deleted keeps its name, also for the users of an application and for operators', async () => {
    const client = await host.createApplication({ accountId: 'acme', name: 'Ledger that was' })
    await connect(host, client, { browser: host.visit('bob').browser })
    await host.gatehouse.applications.delete(client.client_id, { actor: 'acme/anna' })
    for (const [person, path] of [
      ['acme', '/console/activity'],
      ['bob', '/console/activity'],
      ['root', '/console/operator/audit'],
      ['root', `/console/operator/clients/${client.client_id}`],
    ] as const) {
      const { body } = await host.visit(person).get(path)
      expect(textOf(body)).toContain('Ledger that was')
      expect(textOf(body)).not.toContain(person === 'root' ? 'acme/anna' : client.client_id)
    }
    await host.gatehouse.accounts.erase({ accountId: 'acme' })
    const { body } = await host.visit('bob').get('/console/activity')
    expect(textOf(body)).not.toContain('Ledger that was')
    expect(textOf(body)).toContain(client.client_id)
  })

  it('a user sees what was allowed to applications of others, and no entry of other accounts', async () => {
    const client = await host.createApplication({ accountId: 'bob', name: 'Ledger of Bob' })
    await connect(host, client, { browser: host.visit('alice').browser, untick: ['payments:list'] })
    const alice = await host.visit('alice').get('/console/activity')
    const text = textOf(alice.body)
    expect(text).toContain('Application allowed to use the account')
    expect(text).toContain('Application Ledger of Bob')
    expect(text).toContain('Denied: Read your payments')
    expect(alice.body).not.toContain(`href="/console/applications/${client.client_id}"`)
    expect(textOf((await host.visit('acme').get('/console/activity')).body)).not.toContain('Ledger of Bob')
  })
})

describe('the page of the activity', () => {
  let host: ConsoleHost
  beforeAll(async () => {
    host = await startConsole({
      store: memoryStore(),
      accounts: {
        can: (ctx, permission) => permission !== 'audit:read' || ctx.query['forbid'] === undefined,
      },
    })
  })
  afterAll(() => host.close())

  it('shows 25 entries, and the older ones on the next page, with the filter kept', async () => {
    const { clientId } = (await host.gatehouse.apiKeys.create({ accountId: 'alice', name: 'n' })).apiKey
    for (let at = 0; at < 30; at += 1) {
      await host.gatehouse.apiKeys.update(clientId, { name: `name ${at}` }, { actor: `alice/${at}` })
    }
    const visitor = host.visit('alice')
    const first = await visitor.get('/console/activity')
    expect(first.body.match(/<tr>/g)).toHaveLength(26)
    const next = /href="([^"]+)" rel="next"/.exec(first.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(next).toMatch(/^\/console\/activity\?cursor=/)
    const second = await visitor.get(next)
    expect(second.body.match(/<tr>/g)).toHaveLength(7)
    expect(textOf(second.body)).toContain('Created')
    expect(second.body).not.toContain('rel="next"')
    expect(second.body).toContain('First page')
  })
})
