import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { connect, startHost, type Host } from '../../support/host.ts'

describe('the option claimsInIdToken', () => {
  let host: Host
  let application: Awaited<ReturnType<Host['createApplication']>>
  beforeAll(async () => {
    const accounts = new Map([
      [
        'alice',
        {
          id: 'alice',
          claims: {
            name: 'Alice',
            email: 'alice@example.com',
            picture: null,
            sub: 'forged',
            aud: 'forged',
            vat: 'x',
          },
        },
      ],
      ['acme', { id: 'acme', kycLevel: 'verified' }],
    ])
    host = await startHost({ store: memoryStore(), accounts, gatehouse: { claimsInIdToken: true } })
    application = await host.createApplication()
  })
  afterAll(() => host.close())

  const claimsOf = (token: unknown) => decodeJwt(String(token))

  it('with claimsInIdToken an ID token has the claims of the granted scopes', async () => {
    const { id_token, refresh_token } = await connect(host, application, {
      parameters: { scope: 'openid profile email invoices:read', nonce: 'n-0' },
    })
    const expected = { sub: 'alice', account_id: 'alice', aud: application.client_id }
    expect(claimsOf(id_token)).toMatchObject({
      ...expected,
      nonce: 'n-0',
      name: 'Alice',
      email: 'alice@example.com',
    })
    expect(claimsOf(id_token)).not.toHaveProperty('vat')

    const refreshed = await host.refresh(application, refresh_token)
    expect(claimsOf(refreshed.body['id_token'])).toMatchObject({ ...expected, name: 'Alice' })
    const narrow = await host.refresh(application, refreshed.body['refresh_token'], { scope: 'openid email' })
    expect(claimsOf(narrow.body['id_token'])).toMatchObject({ ...expected, email: 'alice@example.com' })
    expect(claimsOf(narrow.body['id_token'])).not.toHaveProperty('name')
  })

  it('with claimsInIdToken an ID token has the claims of each scope alone', async () => {
    for (const [scope, names] of [
      ['openid invoices:read', []],
      ['openid profile invoices:read', ['name', 'picture']],
      ['openid email invoices:read', ['email']],
    ] as const) {
      const { id_token } = await connect(host, application, { parameters: { scope } })
      const found = Object.keys(claimsOf(id_token)).filter((name) =>
        ['name', 'picture', 'email', 'vat'].includes(name),
      )
      expect([scope, found.toSorted()]).toEqual([scope, names])
    }
  })

  it('with claimsInIdToken a scope that the user has unticked gives no claim', async () => {
    const other = await host.createApplication()
    const { id_token, scope } = await connect(host, other, {
      parameters: { scope: 'openid profile email invoices:read' },
      untick: ['email'],
    })
    expect(scope.split(' ')).not.toContain('email')
    expect(claimsOf(id_token)).toHaveProperty('name', 'Alice')
    expect(claimsOf(id_token)).not.toHaveProperty('email')
  })

  it('with claimsInIdToken an access token has no claim of the user', async () => {
    const { access_token } = await connect(host, application, {
      parameters: { scope: 'openid profile email invoices:read' },
    })
    for (const name of ['name', 'email']) expect(claimsOf(access_token)).not.toHaveProperty(name)
  })
})
