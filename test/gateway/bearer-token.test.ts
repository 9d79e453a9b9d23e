import { describe, expect, test } from 'vitest'
import { authorizationFields, readBearerToken } from '../../src/gateway/bearer-token.ts'

const read = (...authorization: string[]) => readBearerToken({ authorization, query: '' })

describe('bearer token', () => {
  test.each(['Bearer abc.def-_~+/==', 'bearer abc.def-_~+/==', 'BEARER   abc.def-_~+/=='])(
    'is found in %j',
    (field) => {
      expect(read(field)).toEqual({ token: 'abc.def-_~+/==' })
    },
  )

  test.each(['Basic YTpi', 'DPoP abc', 'Bearerabc', 'Token abc', ''])(
    'is not in %j, which is no error',
    (field) => {
      expect(read(field)).toEqual({})
    },
  )

  test('is not there without a header', () => {
    expect(read()).toEqual({})
  })

  test.each([
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer a, Bearer b',
    'Bearer "abc"',
    'Bearer =abc',
    'Bearer a\tb',
    'Bearer \u00e4',
  ])('is malformed in %j', (field) => {
    const { token, problem } = read(field)
    expect(token).toBeUndefined()
    expect(problem).toMatch(/Authorization header/)
  })

  test('is rejected by its length before anything else is done with it', () => {
    expect(read(`Bearer ${'a'.repeat(16_384)}`).token).toHaveLength(16_384)
    expect(read(`Bearer ${'a'.repeat(16_385)}`)).toEqual({ problem: 'the access token is too long' })
    expect(read(`Bearer ${'"'.repeat(1_000_000)}`)).toEqual({ problem: 'the access token is too long' })
  })

  test('is rejected in two headers', () => {
    expect(read('Bearer a', 'Bearer a')).toEqual({ problem: 'send one Authorization header only' })
  })

  test.each(['access_token=a', 'x=1&access_token=', 'access%5Ftoken=a', 'a=b&%61ccess_token=a'])(
    'is rejected in the query %j, alone and beside the header',
    (query) => {
      for (const authorization of [[], ['Bearer a']]) {
        expect(readBearerToken({ authorization, query }).problem).toMatch(/not in the query/)
      }
    },
  )

  test('may stand beside other parameters', () => {
    expect(readBearerToken({ authorization: ['Bearer a'], query: 'my_access_token=1&x' })).toEqual({
      token: 'a',
    })
  })
})

test('authorization fields are those of the raw headers, where there are any', () => {
  const raw = ['Host', 'x', 'Authorization', 'Bearer a', 'authorization', 'Bearer b', 'X', 'authorization']
  expect(authorizationFields({ authorization: 'Bearer a' }, raw)).toEqual(['Bearer a', 'Bearer b'])
  expect(authorizationFields({ authorization: 'Bearer a' })).toEqual(['Bearer a'])
  expect(authorizationFields({ authorization: ['a', 'b'] })).toEqual(['a', 'b'])
  expect(authorizationFields({}, raw)).toEqual([])
})
