import { expect, test } from 'vitest'
import { GatehouseError } from '../../src/errors.ts'
import { reasonOf } from '../../src/health/reason.ts'

const away = (cause?: unknown, message = 'the store failed') =>
  new GatehouseError('ERR_STORE_UNAVAILABLE', message, { cause })
const foreign = (message: string, more: object = {}) => Object.assign(new Error(message), more)

test.each([
  ['our own message', away(), 'the store failed'],
  [
    'the code of what caused it',
    away(foreign('secret', { code: 'ECONNREFUSED' })),
    'the store failed: ECONNREFUSED',
  ],
  ['a code that was said', away({ code: 'OOM' }, 'Redis says OOM'), 'Redis says OOM'],
  ['the name of what caused it', away(new TypeError('secret')), 'the store failed: TypeError'],
  ['nothing of a plain error', foreign('password=secret'), 'no reason was given'],
  ['a code that is a sentence is none', foreign('', { code: 'secret of Alice' }), 'no reason was given'],
  ['undefined', undefined, 'no reason was given'],
  ['null', null, 'no reason was given'],
  ['a text', 'secret', 'no reason was given'],
  ['what caused what caused it', away(away({ code: 'EPIPE' }, 'inner')), 'the store failed: inner: EPIPE'],
  [
    'no credentials of an address',
    away(undefined, 'redis://user:se/cr@et@db.example:6379 is away'),
    '//…@db.example:6379 is away'.replace(/^/, 'redis:'),
  ],
  ['one line', new GatehouseError('ERR_CATALOG', 'wrong:\n  - a: b\n  - c: d'), 'wrong: a: b c: d'],
])('%s', (_, error, reason) => {
  expect(reasonOf(error)).toBe(reason)
})

test('is short, however much there is to say', () => {
  const reason = reasonOf(away(undefined, 'x'.repeat(10_000)))
  expect(reason).toHaveLength(300)
  expect(reason.endsWith('…')).toBe(true)
})

test('errors that cause each other come to an end', () => {
  const one = foreign('', { code: 'EONE' })
  one.cause = one
  expect(reasonOf(one)).toBe('EONE')
})
