import { describe, expect, it } from 'vitest'
import { authorizationFields, readBearerToken } from '../../src/gateway/bearer-token.ts'

const read = (...authorization: string[]) => readBearerToken({ authorization, query: '' })

describe('readBearerToken()', () => {
  it('readBearerToken() finds the token, whatever the letter case and the number of spaces', () => {
    for (const scheme of ['Bearer ', 'bearer ', 'BEARER   ']) {
      expect(read(`${scheme}abc.def-_~+/==`)).toEqual({ token: 'abc.def-_~+/==' })
    }
  })

  it('readBearerToken() finds neither a token nor a problem in another scheme, and without a header', () => {
    for (const field of ['Basic YTpi', 'DPoP abc', 'Bearerabc', 'Token abc', '']) {
      expect(read(field)).toEqual({})
    }
    expect(read()).toEqual({})
  })

  it('readBearerToken() reports a malformed token', () => {
    const malformed = ['Bearer', 'Bearer ', 'Bearer a b', 'Bearer a, Bearer b', 'Bearer "abc"']
    for (const field of [...malformed, 'Bearer =abc', 'Bearer a\tb', 'Bearer \u00e4']) {
      const { token, problem } = read(field)
      expect([field, token, problem]).toEqual([
        field,
        undefined,
        expect.stringMatching(/Authorization header/),
      ])
    }
  })

  it('readBearerToken() rejects a token that is too long, without parsing it', () => {
    expect(read(`Bearer ${'a'.repeat(16_384)}`).token).toHaveLength(16_384)
    expect(read(`Bearer ${'a'.repeat(16_385)}`)).toEqual({ problem: 'the access token is too long' })
    expect(read(`Bearer ${'"'.repeat(1_000_000)}`)).toEqual({ problem: 'the access token is too long' })
  })

  it('readBearerToken() rejects two Authorization headers', () => {
    expect(read('Bearer a', 'Bearer a')).toEqual({ problem: 'send one Authorization header only' })
  })

  it('readBearerToken() rejects a token in the query, with and without an Authorization header', () => {
    for (const query of ['access_token=a', 'x=1&access_token=', 'access%5Ftoken=a', 'a=b&%61ccess_token=a']) {
      for (const authorization of [[], ['Bearer a']]) {
        expect(readBearerToken({ authorization, query }).problem).toMatch(/not in the query/)
      }
    }
  })

  it('readBearerToken() accepts a token in the header if no query parameter is named access_token', () => {
    expect(readBearerToken({ authorization: ['Bearer a'], query: 'my_access_token=1&x' })).toEqual({
      token: 'a',
    })
  })
})

it('authorizationFields() reads all Authorization fields of the raw headers', () => {
  const raw = ['Host', 'x', 'Authorization', 'Bearer a', 'authorization', 'Bearer b', 'X', 'authorization']
  expect(authorizationFields({ authorization: 'Bearer a' }, raw)).toEqual(['Bearer a', 'Bearer b'])
  expect(authorizationFields({ authorization: 'Bearer a' })).toEqual(['Bearer a'])
  expect(authorizationFields({ authorization: ['a', 'b'] })).toEqual(['a', 'b'])
  expect(authorizationFields({}, raw)).toEqual([])
})
