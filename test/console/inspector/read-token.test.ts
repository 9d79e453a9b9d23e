import { expect, it } from 'vitest'
import { readToken } from '../../../src/console/inspector/read-token.ts'

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const TOKEN = `${part({ alg: 'ES256' })}.${part({ iss: 'x' })}.c2ln`

it.each([
  ['a token', TOKEN],
  ['a token after Bearer', `Bearer ${TOKEN}`],
  ['a whole header', `  authorization:  bearer ${TOKEN}\n`],
  ['a token with line breaks', ` ${TOKEN.slice(0, 20)}\r\n   ${TOKEN.slice(20)} `],
  ['a token in quotation marks', `"${TOKEN}"`],
])('%s is read', (_, pasted) => {
  expect(readToken(pasted)).toEqual({ token: TOKEN, header: { alg: 'ES256' }, claims: { iss: 'x' } })
})

it.each([
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
])('%s is rejected', (_, pasted, text) => {
  expect(readToken(pasted)).toBe(text)
})
