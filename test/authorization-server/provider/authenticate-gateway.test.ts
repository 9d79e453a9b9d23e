import { describe, expect, it } from 'vitest'
import type { Context } from 'koa'
import { authenticateGateway } from '../../../src/authorization-server/provider/authenticate-gateway.ts'
import type { ClientRegistry } from '../../../src/clients/client-registry.ts'
import { digest } from '../../../src/store/digest.ts'
import { acceptingGateways } from '../../support/accepting-gateways.ts'
import { registryOf } from '../../support/registry-of.ts'

/** A registry with a client that has the secret. */
const registry = (secret = 'right', clientId = 'key_1', disabled = false): Promise<ClientRegistry> =>
  registryOf({ clientId, disabled, resourceServer: true }, [
    { hash: `sha256:${digest(secret)}`, createdAt: 1 },
  ])

const authenticate = (from: ClientRegistry, authorization: string) => {
  const get = (name: string) => (name === 'Authorization' ? authorization : '')
  return authenticateGateway(acceptingGateways(from), {
    get,
    set() {},
    ip: '203.0.113.7',
  } as unknown as Context)
}

const base64 = (text: string) => Buffer.from(text).toString('base64')
const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)

describe('client authentication by HTTP Basic', () => {
  it('a client is authenticated by its secret in the header, whatever the letter case of the scheme', async () => {
    for (const scheme of ['Basic ', 'basic  ']) {
      const found = await authenticate(await registry(), scheme + base64('key_1:right'))
      expect(found).toMatchObject({ clientId: 'key_1' })
    }
  })

  it('client id and secret in the Basic header are form-decoded (RFC 6749 2.3.1)', async () => {
    const [clientId, secret] = ['a@b=c', 'ü? no: a+b&c=d %2F']
    const authorization = `Basic ${base64(`${encode(clientId)}:${encode(secret)}`)}`
    // A decoded secret that is not printable ASCII is not possible.
    expect(await authenticate(await registry(secret, clientId), authorization)).toBeUndefined()
    const printable = secret.slice(1)
    const header = `Basic ${base64(`${encode(clientId)}:${encode(printable)}`)}`
    expect(await authenticate(await registry(printable, clientId), header)).toMatchObject({
      clientId,
    })
  })

  it.each([
    ['a%zz', ['a%zz'], ['a']],
    ['a+b', ['a b', 'a+b'], ['a%2Bb']],
    ['a%2Bb', ['a+b', 'a%2Bb'], ['a b']],
    ['a%00b', ['a%00b'], ['a\0b']],
    ['plain', ['plain'], ['Plain']],
  ])(
    'a secret in the Basic header is tried form-decoded, and then unchanged: %s',
    async (sent, readings, others) => {
      const idOf = async (secret: string) =>
        (await authenticate(await registry(secret), `Basic ${base64(`key_1:${sent}`)}`))?.clientId
      for (const secret of readings) expect(await idOf(secret)).toBe('key_1')
      for (const secret of others) expect(await idOf(secret)).toBeUndefined()
    },
  )

  it('a secret beside a form-encoded client id is tried only form-decoded', async () => {
    const authorization = `Basic ${base64('key%5F1:a+b')}`
    expect(await authenticate(await registry('a b'), authorization)).toBeDefined()
    expect(await authenticate(await registry('a+b'), authorization)).toBeUndefined()
  })

  it('no client is authenticated with a wrong secret or an unknown id, and no disabled client', async () => {
    for (const pair of ['key_1:wrong', 'unknown:right']) {
      expect(await authenticate(await registry(), `Basic ${base64(pair)}`)).toBeUndefined()
    }
    const disabled = await registry('right', 'key_1', true)
    expect(await authenticate(disabled, `Basic ${base64('key_1:right')}`)).toBeUndefined()
  })

  const MALFORMED: [name: string, header: string][] = [
    ['an empty header', ''],
    ['the scheme Bearer', `Bearer ${base64('key_1:right')}`],
    ['a header without credentials', 'Basic'],
    ['credentials that are not base64', 'Basic key_1:right'],
    ['credentials in base64url', `Basic ${Buffer.from('key_1:>>>???').toString('base64url')}_`],
    ['credentials without a colon', `Basic ${base64('key_1')}`],
    ['an empty secret', `Basic ${base64('key_1:')}`],
    ['an empty client id', `Basic ${base64(':right')}`],
    ['a client id with a broken encoding', `Basic ${base64('key%zz:right')}`],
    ['a secret that has a NUL both form-decoded and unchanged', `Basic ${base64('key_1:%00\u0000')}`],
    ['a client id with a NUL', `Basic ${base64('key_1%00:right')}`],
    ['a client id with letters that are not ASCII', `Basic ${base64('k%C3%BCy:right')}`],
    ['a client id of 257 characters', `Basic ${base64(`${'x'.repeat(257)}:right`)}`],
    ['two headers that are joined to one', `Basic ${base64('key_1:right')}, Basic ${base64('key_1:right')}`],
  ]
  it('no client is authenticated with a malformed header', async () => {
    // The registry finds a client for every id, so that only the header can be the reason.
    const { find } = await registry()
    const accepting = { find: () => find('key_1') }
    for (const [name, header] of MALFORMED) {
      expect([name, await authenticate(accepting, header)]).toEqual([name, undefined])
    }
  })
})
