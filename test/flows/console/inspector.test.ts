import { generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { connect } from '../../support/host.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const textOf = (body: string) => body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Inspects a token as a person. */
async function inspect(host: ConsoleHost, person: string, token: string) {
  const visitor = host.visit(person)
  const page = await visitor.open('/console/token-inspector')
  const answer = await visitor.submit(page, 'inspect', { token })
  return { ...answer, text: textOf(answer.body) }
}

async function tokenOf(host: ConsoleHost, client: { client_id: string; client_secret: string }) {
  const { body } = await host.post('/oauth2/token', { ...client, grant_type: 'client_credentials' })
  return String(body['access_token'])
}

describe('the token inspector', () => {
  let host: ConsoleHost
  beforeAll(async () => {
    host = await startConsole({ store: memoryStore() })
  })
  afterAll(() => host.close())

  it('a valid token is explained: its status, its client, its times, and the calls that it allows', async () => {
    const client = await host.createApiKey(['invoices'])
    const token = await tokenOf(host, client)
    const { status, text, body } = await inspect(host, 'acme', `Bearer ${token}\n`)
    expect(status).toBe(200)
    for (const expected of [
      'This token works.',
      'To end it before it expires: disable the client, remove an operation, or send the token to the revocation endpoint',
      `${host.issuer}/oauth2/revoke`,
      'Nightly export',
      'the account acme , which owns the API key',
      'Read your invoices',
      'GET /invoices/list',
      'POST /invoices/create',
      '&quot;alg&quot;: &quot;ES256&quot;',
      '&quot;access_mode&quot;: &quot;direct&quot;',
    ]) {
      expect(text).toContain(expected)
    }
    expect(text).not.toContain('Read your payments')
    expect(body).not.toContain(token)
    expect(body).not.toContain(token.split('.')[2])
  })

  it('a token of another account is rejected without any information about it', async () => {
    const client = await host.createApiKey()
    const token = await tokenOf(host, client)
    for (const person of ['alice', 'bob/acme']) {
      const { status, text } = await inspect(host, person, token)
      expect(status).toBe(422)
      expect(text).toContain('This is not a token of one of your API keys or applications')
      expect(text).not.toMatch(/Nightly export|token works|invoices|ES256/)
      expect(text).not.toContain(client.client_id)
    }
    const { text } = await inspect(host, 'root', token)
    expect(text).toContain('This token works.')
    expect(text).toContain('Nightly export')
  })

  it('the user of a delegated token may not inspect it, and the developer of the application may', async () => {
    const client = await host.createApplication()
    const browser = host.visit('alice').browser
    const { access_token: token } = await connect(host, client, { browser })
    expect((await inspect(host, 'alice', token)).text).toContain('This is not a token of one of your')
    const { text } = await inspect(host, 'acme', token)
    expect(text).toContain('This token works.')
    expect(text).toContain('the user alice , who authorized the application')
  })

  it('a revoked token is shown with what revoked it', async () => {
    const { gatehouse } = host
    const reason = async (
      client: { client_id: string; client_secret: string },
      act: (token: string) => Promise<unknown>,
    ) => {
      const token = await tokenOf(host, client)
      await act(token)
      const { text } = await inspect(host, 'acme', token)
      expect(text).toContain('This token has been revoked.')
      expect(text).not.toContain('This token works.')
      return text
    }
    const key = await host.createApiKey()
    const { client_id: id } = key
    expect(await reason(key, (token) => gatehouse.tokens.revoke(token))).toContain(
      'The token itself was revoked.',
    )
    expect(await reason(key, () => gatehouse.tokens.revokeAll({ clientId: id }))).toContain(
      'All tokens of the API key',
    )
    expect(await reason(key, () => gatehouse.apiKeys.removeOperation(id, 'payments:list'))).toContain(
      'was removed from the API key or application: Read your payments',
    )
    expect(await reason(key, () => gatehouse.apiKeys.removeProduct(id, 'payments'))).toContain('Move money')
    expect(await reason(key, () => gatehouse.apiKeys.disable(id))).toContain('is disabled')
    await gatehouse.apiKeys.enable(id)
    expect(await reason(key, () => gatehouse.apiKeys.delete(id))).toContain('was deleted')

    const application = await host.createApplication()
    const browser = host.visit('alice').browser
    const { access_token: token } = await connect(host, application, { browser })
    await gatehouse.grants.revokeAll({ accountId: 'alice' })
    expect((await inspect(host, 'acme', token)).text).toContain('the user disconnected the application')
  })

  it('a pasted client secret leads its owner and operators to the report of the leak, and no other person', async () => {
    for (const client of [await host.createApiKey(), await host.createApplication()]) {
      const { client_id: id, client_secret: secret } = client
      for (const person of ['alice', 'bob']) {
        const { status, text } = await inspect(host, person, secret)
        expect(status).toBe(422)
        expect(text).not.toMatch(/valid client secret of|Nightly export|Ledger/)
      }
      for (const person of ['acme', 'root']) {
        const { status, text, body } = await inspect(host, person, ` ${secret}\n`)
        expect(status).toBe(200)
        expect(text).toContain('This is a valid client secret of')
        expect(body).not.toContain(secret)
        const [, link = ''] = /class="button danger" href="([^"]+)"/.exec(body) ?? []
        expect(link).toContain(id)
        const visitor = host.visit(person)
        const confirmation = await visitor.get(link.replaceAll('&amp;', '&'))
        expect(confirmation.status).toBe(200)
        if (person === 'acme') continue
        await visitor.submit(confirmation, 'reportCompromised', {})
      }
      const { status, text } = await inspect(host, 'acme', secret)
      expect(status).toBe(200)
      expect(text).toContain('This was a client secret of')
      expect((await host.requestDirectToken(client)).status).toBe(401)
    }
  })

  it('a token whose signing key was revoked is shown as revoked by this', async () => {
    const client = await host.createApiKey()
    const token = await tokenOf(host, client)
    const { kid } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as {
      kid: string
    }
    await host.gatehouse.signingKeys.revoke(kid)
    const { text } = await inspect(host, 'acme', token)
    expect(text).toContain('The key that signed it was revoked')
    expect(text).not.toContain('This token works.')
  })
})

describe('what is not a valid token', () => {
  let host: ConsoleHost
  let token: string
  beforeAll(async () => {
    host = await startConsole({ store: memoryStore() })
    token = await tokenOf(host, await host.createApiKey())
  })
  afterAll(() => host.close())

  const header = () => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as object
  const claims = () => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as object
  const signature = () => token.split('.')[2]

  it('each wrong token has its own explanation, and none is called valid', async () => {
    const { privateKey } = await generateKeyPair('ES256')
    const signed = (own: object) =>
      new SignJWT({ ...claims(), ...own }).setProtectedHeader({ ...header(), alg: 'ES256' }).sign(privateKey)
    const cases: readonly (readonly [string, string])[] = [
      [await signed({}), 'The signature of this token is wrong.'],
      [`${token.slice(0, -4)}AAAA`, 'The signature of this token is wrong.'],
      [await signed({ exp: 1000 }), 'The signature of this token is wrong.'],
      [await signed({ iss: 'https://evil.example' }), 'This token comes from another service.'],
      [await signed({ aud: 'https://other.example' }), 'This token is for another API.'],
      [
        `${part({ ...header(), typ: 'JWT' })}.${part(claims())}.${signature()}`,
        'This is not an access token.',
      ],
      [`${part({ alg: 'none', typ: 'at+jwt' })}.${part(claims())}.`, 'This token is not signed.'],
      [`${part({ ...header(), kid: 'unknown' })}.${part(claims())}.${signature()}`, 'cannot be checked.'],
    ]
    for (const [wrong, explanation] of cases) {
      for (const person of ['acme', 'root']) {
        const { text } = await inspect(host, person, wrong)
        expect(text).toContain(explanation)
        expect(text).toContain('Nothing of this is verified.')
        expect(text).not.toMatch(/This token works|has expired/)
      }
    }
  })

  it('garbage and huge texts are explained, and nothing crashes', async () => {
    const garbage = await inspect(host, 'acme', 'hello')
    expect([garbage.status, garbage.text]).toEqual([
      422,
      expect.stringContaining('This is not an access token'),
    ])
    expect((await inspect(host, 'acme', 'x'.repeat(60_000))).status).toBe(413)
    const deep = `{"client_id":"x","a":${'['.repeat(5000)}${']'.repeat(5000)}}`
    const nested = `${part(header())}.${Buffer.from(deep).toString('base64url')}.${signature()}`
    const { status, body } = await inspect(host, 'root', nested)
    expect(status).toBe(200)
    expect(body.length).toBeLessThan(60_000)
  })

  it('an expired token is expired only if its signature is right', async () => {
    vi.useFakeTimers({ now: Date.now() + 10 * 86_400_000 + 7_200_000, toFake: ['Date'] })
    try {
      const { text } = await inspect(host, 'acme', token)
      expect(text).toContain('This token has expired.')
      expect(text).toContain('It was valid until')
      const forged = await inspect(host, 'acme', `${token.slice(0, -4)}AAAA`)
      expect(forged.text).toContain('The signature of this token is wrong.')
      expect(forged.text).not.toContain('has expired')
    } finally {
      vi.useRealTimers()
    }
  })

  it('a permission of the host that denies the client also denies its tokens', async () => {
    const strict = await startConsole({ store: memoryStore(), accounts: { can: () => false } })
    const own = await tokenOf(strict, await strict.createApiKey())
    expect((await inspect(strict, 'acme', own)).text).toContain('This is not a token of one of your')
    await strict.close()
  })
})
