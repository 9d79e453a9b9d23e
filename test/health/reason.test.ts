import { expect, it } from 'vitest'
import { GatehouseError } from '../../src/errors.ts'
import { reasonOf } from '../../src/health/reason.ts'

const away = (cause?: unknown, message = 'the store failed') =>
  new GatehouseError('ERR_STORE_UNAVAILABLE', message, { cause })
const libraryError = (message: string, more: object = {}) => Object.assign(new Error(message), more)

const ERRORS = [
  ['a GatehouseError is shown as its message', away(), 'the store failed'],
  [
    'a cause with a code is shown as its code',
    away(libraryError('secret', { code: 'ECONNREFUSED' })),
    'the store failed: ECONNREFUSED',
  ],
  ['a code in the message is not repeated', away({ code: 'OOM' }, 'Redis says OOM'), 'Redis says OOM'],
  [
    'a cause without a code is shown as the name of its class',
    away(new TypeError('secret')),
    'the store failed: TypeError',
  ],
  ['a plain error has no reason', libraryError('password=secret'), 'the error has no reason'],
  [
    'a code that is a sentence is omitted',
    libraryError('', { code: 'secret of Alice' }),
    'the error has no reason',
  ],
  ['undefined has no reason', undefined, 'the error has no reason'],
  ['null has no reason', null, 'the error has no reason'],
  ['a text has no reason', 'secret', 'the error has no reason'],
  [
    'the cause of a cause is included',
    away(away({ code: 'EPIPE' }, 'inner')),
    'the store failed: inner: EPIPE',
  ],
  [
    'the credentials of an address are removed',
    away(undefined, 'redis://user:se/cr@et@db.example:6379 is unavailable'),
    '//…@db.example:6379 is unavailable'.replace(/^/, 'redis:'),
  ],
  [
    'several lines are joined to one line',
    new GatehouseError('ERR_CATALOG', 'wrong:\n  - a: b\n\n  - c: d - e'),
    'wrong: a: b c: d - e',
  ],
] as const

it('an error is shown by its own messages and codes, and never by those of a library', () => {
  const found = ERRORS.map(([what, error]) => [what, error, reasonOf(error)])
  expect(found).toEqual(ERRORS)
})

it('a reason has at most 300 characters', () => {
  const reason = reasonOf(away(undefined, 'x'.repeat(10_000)))
  expect(reason).toHaveLength(300)
  expect(reason.endsWith('…')).toBe(true)
})

it('an error that is its own cause has a reason', () => {
  const one = libraryError('', { code: 'EONE' })
  one.cause = one
  expect(reasonOf(one)).toBe('EONE')
})
