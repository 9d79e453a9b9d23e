import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatWwwAuthenticate } from '../../src/gateway/www-authenticate.ts'

const realm = 'https://example.com/api'
const resourceMetadata = 'https://example.com/.well-known/oauth-protected-resource/api'

describe('challenge', () => {
  test('has no error where none is given', () => {
    expect(formatWwwAuthenticate({ realm, scopes: [], resourceMetadata })).toBe(
      `Bearer realm="${realm}", resource_metadata="${resourceMetadata}"`,
    )
  })

  test('names error, description and scopes', () => {
    const error = 'insufficient_scope'
    expect(
      formatWwwAuthenticate({ realm, error, description: 'No.', scopes: ['a:b', 'c'], resourceMetadata }),
    ).toBe(
      `Bearer realm="${realm}", error="insufficient_scope", error_description="No.", scope="a:b c", resource_metadata="${resourceMetadata}"`,
    )
  })

  test('a description cannot end its quotes or the header', () => {
    const description = 'a"b\\c\r\nSet-Cookie: d=e\u0000\u00fc\u{1f600}'
    expect(
      formatWwwAuthenticate({ realm: '', error: 'invalid_token', description, resourceMetadata: '' }),
    ).toBe('Bearer error="invalid_token", error_description="a?b?c??Set-Cookie: d=e????"')
  })

  test('whatever is put in, what comes out is parameters in quotes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.string()), (description, scopes) => {
        const challenge = formatWwwAuthenticate({ realm, description, scopes, resourceMetadata })
        expect(challenge).toMatch(
          /^Bearer [a-z_]+="[\x20\x21\x23-\x5b\x5d-\x7e]*"(?:, [a-z_]+="[\x20\x21\x23-\x5b\x5d-\x7e]*")*$/,
        )
        expect(challenge.match(/"/g)?.length).toBeLessThanOrEqual(8)
      }),
    )
  })
})
