import { expect, it } from 'vitest'
import { readToken } from '../../../../src/parts/console/inspector/inspect-token.ts'

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const TOKEN = `${part({ alg: 'ES256' })}.${part({ iss: 'x' })}.c2ln`

it('a token is read alone, after Bearer, as a whole header, with line breaks and in quotation marks', () => {
  for (const pasted of [
    TOKEN,
    `Bearer ${TOKEN}`,
    `  authorization:  bearer ${TOKEN}\n`,
    ` ${TOKEN.slice(0, 20)}\r\n   ${TOKEN.slice(20)} `,
    `"${TOKEN}"`,
  ])
    expect(readToken(pasted), pasted).toEqual({
      token: TOKEN,
      header: { alg: 'ES256' },
      claims: { iss: 'x' },
    })
})

it('what is not a token is rejected with its reason', () => {
  const cases = [
    ['nothing', ' \n', 'inspectorEmpty'],
    ['50,000 characters', 'x'.repeat(50_000), 'inspectorTooLong'],
    ['an encrypted token', 'a.b.c.d.e', 'inspectorEncrypted'],
    ['a refresh token', 'gRQ6s8f-2hs', 'inspectorNotJwt'],
    ['three parts of garbage', 'a.b.c', 'inspectorNotJwt'],
    [
      'a nested JWT',
      `${part({ alg: 'ES256', cty: 'JWT' })}.${Buffer.from(TOKEN).toString('base64url')}.c2ln`,
      'inspectorNotJwt',
    ],
    ['claims that are a list', `${part({})}.${part([])}.c2ln`, 'inspectorNotJwt'],
    ['other characters', `${part({})}.${part({})}é.c2ln`, 'inspectorNotJwt'],
  ] as const
  expect(cases.map(([name, pasted]) => [name, readToken(pasted)])).toEqual(
    cases.map(([name, , text]) => [name, text]),
  )
})
