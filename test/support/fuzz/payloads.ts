import type { Random } from './random.ts'
import { utf8 } from './request.ts'

/** A response has this header only if a value in a request could break out of its header line. */
export const INJECTED_HEADER = 'x-fuzz-injected'
/** Matches a page only if text in a request could become markup of that page. */
export const INJECTED_HTML = /<\/?fuzz\b|fuzz["']\s*onfuzz|(?:href|src|action)="\s*javascript:fuzz/i

/** Byte strings that are difficult for parsers, templates, headers and objects. */
const HOSTILE_VALUES: readonly string[] = [
  '',
  ' ',
  '0',
  '-1',
  '1e309',
  '99999999999999999999',
  'null',
  'undefined',
  'true',
  '[]',
  '{}',
  '[object Object]',
  '{"userinfo":{"email":{"essential":true}}}',
  '{"__proto__":{"polluted":1}}',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '"><fuzz>',
  "'><fuzz onload=1>",
  'fuzz"onfuzz=1 x="',
  "fuzz'onfuzz=1 x='",
  '</title></script></style><fuzz>',
  'javascript:fuzz',
  'data:text/html,<fuzz>',
  '//evil.example/',
  'https://evil.example/callback',
  'https://app.example@evil.example/callback',
  'https://app.example.evil.example/callback',
  'https://app.example\\@evil.example',
  `a\r\n${INJECTED_HEADER}: 1`,
  `a\n${INJECTED_HEADER}: 1\n\n<fuzz>`,
  '\0',
  'a\0b',
  '\x7f',
  '\xff\xfe',
  '\xc0\xaf',
  '\xed\xa0\x80',
  '%',
  '%zz',
  '%00',
  '%0d%0a',
  '%25%32%35',
  '+',
  '&',
  '=',
  ';',
  ',',
  '../../etc/passwd',
  '${7*7}{{7*7}}<%= 7*7 %>',
  "' or 1=1--",
  utf8('\u202e\u2028<fuzz>'),
  utf8('ü😀\ud800'),
  utf8('\u212a\u017f\u0131\u0130\ufb01\uff21'),
  utf8('e\u0301'.repeat(50)),
  '('.repeat(300),
  '[['.repeat(2000),
  'a'.repeat(300),
  'openid '.repeat(200),
  'x'.repeat(5000),
]

/** Picks a random hostile value. */
export function hostileValue(random: Random): string {
  return random.pick(HOSTILE_VALUES)
}

/** Names of parameters with a special meaning for objects and parsers. */
export const HOSTILE_NAMES: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '__proto__[x]',
  'client_id[]',
  'scope[]',
  'scope[x]',
  'client_id.x',
  '',
  '\0',
  'a'.repeat(2000),
  'CLIENT_ID',
  'Scope',
  'client_assertion',
  'client_assertion_type',
  'assertion',
  'request',
  'request_uri',
  'registration',
  'dpop_jkt',
  'access_token',
  'authorization_details',
  'resource',
  'audience',
  'username',
  'password',
  'device_code',
  'auth_req_id',
  'subject_token',
]

/** Returns a text in which bytes were dropped, doubled or changed, or whose end was removed. */
export function mutatedText(text: string, random: Random): string {
  if (text === '') return hostileValue(random)
  const at = random.below(text.length)
  switch (random.below(9)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1)
    case 1:
      return text.slice(0, at) + text.slice(at, at + 1) + text.slice(at)
    case 2:
      return (
        text.slice(0, at) +
        String.fromCharCode(text.charCodeAt(at) ^ (1 << random.below(8))) +
        text.slice(at + 1)
      )
    case 3:
      return text.slice(0, at)
    case 4:
      return text.slice(0, at) + hostileValue(random) + text.slice(at)
    case 5:
      return text.toUpperCase() === text ? text.toLowerCase() : text.toUpperCase()
    case 6:
      return ` ${text} `
    case 7:
      return `${text}${text}`
    default:
      return hostileValue(random)
  }
}

/** Changes one part of a JWT. `mutatedText()` changes all other texts, and some JWTs. */
export function mutatedToken(token: string, random: Random): string {
  const parts = token.split('.')
  if (parts.length !== 3 || random.chance(0.3)) return mutatedText(token, random)
  const at = random.below(3)
  if (at === 2 || random.chance(0.3)) {
    parts[at] = mutatedText(parts[at] ?? '', random)
    return parts.join('.')
  }
  const text = Buffer.from(parts[at] ?? '', 'base64url').toString()
  parts[at] = Buffer.from(mutatedJson(text, random)).toString('base64url')
  return parts.join('.')
}

function mutatedJson(text: string, random: Random): string {
  try {
    const value = JSON.parse(text) as Record<string, unknown>
    const names = [...Object.keys(value), 'alg', 'crit', 'b64', 'jwk', 'jku', 'x5u', 'zip', '__proto__']
    const name = random.pick(names)
    if (random.chance(0.2)) delete value[name]
    else
      value[name] = random.pick<unknown>([
        'none',
        'HS256',
        '',
        null,
        [],
        {},
        -1,
        2 ** 53,
        true,
        'x'.repeat(900),
      ])
    return JSON.stringify(value)
  } catch {
    return mutatedText(text, random)
  }
}
