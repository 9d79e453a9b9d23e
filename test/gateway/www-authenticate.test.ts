import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatWwwAuthenticate } from '../../src/gateway/www-authenticate.ts'

const realm = 'https://example.com/api'
const resourceMetadata = 'https://example.com/.well-known/oauth-protected-resource/api'

describe('formatWwwAuthenticate()', () => {
  test('a challenge without an error has no error parameter', () => {
    expect(formatWwwAuthenticate({ realm, scopes: [], resourceMetadata })).toBe(
      `Bearer realm="${realm}", resource_metadata="${resourceMetadata}"`,
    )
  })

  test('a challenge contains error, description and scopes', () => {
    const error = 'insufficient_scope'
    expect(
      formatWwwAuthenticate({ realm, error, description: 'No.', scopes: ['a:b', 'c'], resourceMetadata }),
    ).toBe(
      `Bearer realm="${realm}", error="insufficient_scope", error_description="No.", scope="a:b c", resource_metadata="${resourceMetadata}"`,
    )
  })

  test('a description cannot close its quotes or end the header', () => {
    const description = 'a"b\\c\r\nSet-Cookie: d=e\u0000\u00fc\u{1f600}'
    expect(
      formatWwwAuthenticate({ realm: '', error: 'invalid_token', description, resourceMetadata: '' }),
    ).toBe('Bearer error="invalid_token", error_description="a?b?c??Set-Cookie: d=e????"')
  })

  test('every challenge consists of quoted parameters, for any input', () => {
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
