import { randomBytes } from 'node:crypto'
import { hashSecret } from 'koa-gatehouse'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, startHost, type Host } from '../../support/host.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const formEncoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
const random = () => randomBytes(24).toString('base64url')

const WITH_PLUS = `${random()}+/+${random()}`
/** Secrets as other services generate them, with characters that form-encoding would change. */
const SECRETS = [WITH_PLUS, `50%${random()}%`, `a%2Bb${random()}`, `a: b${random()}`]

describe('imported secrets in the Basic header', () => {
  let host: Host
  const rejected: unknown[] = []
  beforeAll(async () => {
    host = await startHost()
    await host.gatehouse.ready()
    host.gatehouse.on('token.rejected', (event) => rejected.push(event))
  })
  afterAll(() => host.close())

  async function importKey(secret: string) {
    const { apiKey } = await host.gatehouse.apiKeys.create({
      clientId: `key_${random()}`,
      secretHash: hashSecret(secret),
      accountId: 'acme',
      name: 'Imported',
      products: ['invoices'],
    })
    await host.gatehouse.apiKeys.setResourceServer(apiKey.clientId, true)
    return apiKey.clientId
  }

  /** The status at each endpoint that authenticates clients. */
  async function statusAtEach(credentials: string) {
    const headers = { authorization: `Basic ${base64(credentials)}` }
    const feed = await fetch(`${host.issuer}/oauth2/revocations`, { headers })
    return {
      token: (await host.token({ grant_type: 'client_credentials' }, headers)).status,
      revoke: (await host.post('/oauth2/revoke', { token: 'x' }, headers)).status,
      introspect: (await host.post('/oauth2/introspect', { token: 'x' }, headers)).status,
      feed: feed.status,
    }
  }

  it('an imported secret works at every endpoint, raw or form-encoded', async () => {
    for (const secret of SECRETS) {
      const clientId = await importKey(secret)
      const accepted = { secret, token: 200, revoke: 200, introspect: 200, feed: 200 }
      for (const credentials of [
        `${clientId}:${secret}`,
        `${formEncoded(clientId)}:${formEncoded(secret)}`,
      ]) {
        expect({ secret, ...(await statusAtEach(credentials)) }).toEqual(accepted)
      }
    }
  })

  it('a secret that is wrong both raw and form-decoded is rejected, and each request emits one event', async () => {
    const clientId = await importKey(WITH_PLUS)
    rejected.splice(0)
    for (const wrong of ['a+b%2Bc', 'a%zz', `${WITH_PLUS}x`]) {
      const answer = await host.token(
        { grant_type: 'client_credentials' },
        { authorization: `Basic ${base64(`${clientId}:${wrong}`)}` },
      )
      expect([answer.status, answer.body['error']]).toEqual([401, 'invalid_client'])
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm="/)
    }
    expect(rejected).toHaveLength(3)
  })

  it('if form-decoding changes the client id, the raw secret is not tried', async () => {
    const secret = WITH_PLUS
    const clientId = await importKey(secret)
    const mixed = `${clientId.replace('key_', '%6Bey_')}:${secret}`
    expect((await statusAtEach(mixed)).token).toBe(401)
  })

  it('a raw secret works when an application exchanges its code and refreshes', async () => {
    const secret = `${random()}+${random()}`
    const { application } = await host.gatehouse.applications.create({
      clientId: `app_${random()}`,
      secretHash: hashSecret(secret),
      accountId: 'acme',
      name: 'Imported',
      products: ['invoices'],
      redirectUris: ['http://localhost:9/callback'],
    })
    const { clientId } = application
    const { refresh_token } = await connect(host, { client_id: clientId, client_secret: secret })
    const headers = { authorization: `Basic ${base64(`${clientId}:${secret}`)}` }
    const refreshed = await host.token({ grant_type: 'refresh_token', refresh_token }, headers)
    expect(refreshed.status).toBe(200)
  })
})
