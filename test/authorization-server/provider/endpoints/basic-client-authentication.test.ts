import { describe, expect, it, vi } from 'vitest'
import { authenticateBasicClient } from '../../../../src/authorization-server/provider/endpoints/basic-client-authentication.ts'
import type { Client } from '../../../../src/clients/client.ts'

const secrets: Readonly<Record<string, string>> = {
  key_1: 'right',
  'a:b c%': 'ü? no: a+b&c=d %2F',
  key_disabled: 'right',
}

function registry() {
  return {
    find: vi.fn(async (clientId: string) =>
      clientId in secrets ? ({ clientId, disabled: clientId === 'key_disabled' } as Client) : undefined,
    ),
    verifySecret: vi.fn(async ({ clientId }: Client, secret: string) => secrets[clientId] === secret),
  }
}

const base64 = (text: string) => Buffer.from(text).toString('base64')
const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)

describe('client authentication by HTTP Basic', () => {
  it.each([`Basic ${base64('key_1:right')}`, `basic  ${base64('key_1:right')}`])(
    'a client is authenticated by its secret in the header: %s',
    async (authorization) => {
      expect(await authenticateBasicClient(registry(), authorization)).toMatchObject({ clientId: 'key_1' })
    },
  )

  it('client id and secret in the Basic header are form-decoded (RFC 6749 2.3.1)', async () => {
    const authorization = `Basic ${base64(`${encode('a:b c%')}:${encode('no: a+b&c=d %2F')}`)}`
    const asked = registry()
    await authenticateBasicClient(asked, authorization)
    expect(asked.verifySecret).toHaveBeenCalledWith(
      expect.objectContaining({ clientId: 'a:b c%' }),
      'no: a+b&c=d %2F',
    )
  })

  it.each([
    ['a%zz', ['a%zz']],
    ['a+b', ['a b', 'a+b']],
    ['a%2Bb', ['a+b', 'a%2Bb']],
    ['a%00b', ['a%00b']],
    ['plain', ['plain']],
  ])(
    'a secret in the Basic header is tried form-decoded, and then unchanged if form-decoding changes the secret: %s',
    async (sent, readings) => {
      const asked = registry()
      expect(await authenticateBasicClient(asked, `Basic ${base64(`key_1:${sent}`)}`)).toBeUndefined()
      expect(asked.find).toHaveBeenCalledOnce()
      expect(asked.verifySecret.mock.calls.map(([, secret]) => secret)).toEqual(readings)
    },
  )

  it('a secret beside a form-encoded client id is tried only form-decoded', async () => {
    const asked = registry()
    await authenticateBasicClient(asked, `Basic ${base64('key%5F1:a+b')}`)
    expect(asked.verifySecret.mock.calls.map(([, secret]) => secret)).toEqual(['a b'])
  })

  it.each([
    ['a wrong secret', `Basic ${base64('key_1:wrong')}`],
    ['an unknown client', `Basic ${base64('unknown:right')}`],
    ['a disabled client', `Basic ${base64('key_disabled:right')}`],
  ])('no client is authenticated with %s', async (_name, authorization) => {
    expect(await authenticateBasicClient(registry(), authorization)).toBeUndefined()
  })

  it.each([
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
  ])('no client is authenticated with %s, and the registry is not asked', async (_name, authorization) => {
    const asked = registry()
    expect(await authenticateBasicClient(asked, authorization)).toBeUndefined()
    expect(asked.find).not.toHaveBeenCalled()
    expect(asked.verifySecret).not.toHaveBeenCalled()
  })
})
