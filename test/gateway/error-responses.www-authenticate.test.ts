import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatWwwAuthenticate } from '../../src/gateway/error-responses.ts'
import { anyText } from '../support/any-text.ts'

const realm = 'https://example.com/api'
const resource_metadata = 'https://example.com/.well-known/oauth-protected-resource/api'

describe('formatWwwAuthenticate()', () => {
  it('a challenge without an error has no error parameter', () => {
    expect(formatWwwAuthenticate({ realm, error: undefined, scope: '', resource_metadata })).toBe(
      `Bearer realm="${realm}", resource_metadata="${resource_metadata}"`,
    )
  })

  it('a challenge contains error, description and scopes', () => {
    const error = 'insufficient_scope'
    expect(
      formatWwwAuthenticate({ realm, error, error_description: 'No.', scope: 'a:b c', resource_metadata }),
    ).toBe(
      `Bearer realm="${realm}", error="insufficient_scope", error_description="No.", scope="a:b c", resource_metadata="${resource_metadata}"`,
    )
  })

  it('a description cannot close its quotes or end the header', () => {
    const error_description = 'a"b\\c\r\nSet-Cookie: d=e\u0000\u00fc\u{1f600}'
    expect(
      formatWwwAuthenticate({ realm: '', error: 'invalid_token', error_description, resource_metadata: '' }),
    ).toBe('Bearer error="invalid_token", error_description="a?b?c??Set-Cookie: d=e????"')
  })

  it('every challenge consists of quoted parameters, for any input', () => {
    fc.assert(
      fc.property(anyText(), fc.string(), (error_description, scope) => {
        const challenge = formatWwwAuthenticate({ realm, error_description, scope, resource_metadata })
        expect(challenge).toMatch(
          /^Bearer [a-z_]+="[\x20\x21\x23-\x5b\x5d-\x7e]*"(?:, [a-z_]+="[\x20\x21\x23-\x5b\x5d-\x7e]*")*$/,
        )
        expect(challenge.match(/"/g)?.length).toBeLessThanOrEqual(8)
      }),
    )
  })
})
