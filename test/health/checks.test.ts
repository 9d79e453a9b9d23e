import { describe, expect, test } from 'vitest'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import { productScopesOf } from '../../src/catalog/product-scopes.ts'
import { restrictCatalog } from '../../src/catalog/restrict-catalog.ts'
import { GatehouseError } from '../../src/errors.ts'
import { checkClock } from '../../src/health/clock-check.ts'
import { checkFetchedKeys } from '../../src/health/fetched-keys-check.ts'
import type { HealthCheck } from '../../src/health/health.ts'
import { checkKeys } from '../../src/health/key-check.ts'
import { checkProducts } from '../../src/health/product-check.ts'
import { checkRevocations } from '../../src/health/revocations-check.ts'
import { checkStart } from '../../src/health/start-check.ts'
import type { KeyCondition } from '../../src/keys/signing-keys.ts'

const NOW = 1_900_000_000_000

/** Its verdict, with a fix exactly where it is not good. */
function verdictOf(check: HealthCheck | undefined) {
  expect(check?.fix === undefined).toBe(check?.status === 'good')
  return check?.status
}

describe('the clock', () => {
  const asked = { from: NOW, until: NOW + 400 }
  test.each([
    ['at the beginning of the round trip', NOW, 'good'],
    ['at its end', NOW + 400, 'good'],
    ['a second before', NOW - 1000, 'good'],
    ['a second after', NOW + 1400, 'good'],
    ['more than a second before', NOW - 1001, 'warning'],
    ['more than a second after', NOW + 1401, 'warning'],
    ['half a minute before', NOW - 30_000, 'warning'],
    ['more than that before', NOW - 30_001, 'bad'],
    ['more than that after', NOW + 30_401, 'bad'],
  ])('%s', (_, time, status) => {
    expect(verdictOf(checkClock(time, asked))).toBe(status)
  })

  test('says in which direction it is off', () => {
    expect(checkClock(NOW - 5000, asked)?.message).toContain('5 s ahead of the one of the database')
    expect(checkClock(NOW + 5400, asked)?.message).toContain('5 s behind the one of the database')
  })

  test('where answers are given again for some seconds, clocks may differ by no more than these', () => {
    expect(verdictOf(checkClock(NOW - 10_000, asked, 10))).toBe('warning')
    expect(verdictOf(checkClock(NOW - 10_001, asked, 10))).toBe('bad')
    expect(verdictOf(checkClock(NOW - 30_001, asked, 120))).toBe('bad')
  })

  test('there is nothing to say of a database without one', () => {
    expect(checkClock(undefined, asked)).toBeUndefined()
  })
})

describe('signing keys', () => {
  const key = (alg: 'ES256' | 'RS256', state: 'current' | 'next', since = NOW / 1000 - 10_000) => ({
    alg,
    state,
    since,
  })
  const well: KeyCondition = {
    managedByHost: false,
    keys: [key('ES256', 'current'), key('RS256', 'current'), key('ES256', 'next'), key('RS256', 'next')],
    isSigningRevoked: false,
    confirmedAt: NOW - 30_000,
    isStale: false,
    rotationDue: NOW / 1000 + 86_400,
  }
  const failure = new GatehouseError('ERR_STORE_UNAVAILABLE', 'the store is away')
  const secret = new GatehouseError('ERR_SECRET_MISMATCH', 'another secret')
  const lately = [key('ES256', 'current', NOW / 1000 - 200), ...well.keys.slice(1, 2), ...well.keys.slice(3)]

  test.each<[string, Partial<KeyCondition>, string, string]>([
    ['all well', {}, 'good', 'as was certain 30 s ago'],
    ['none yet', { keys: [], confirmedAt: undefined, isStale: true }, 'unknown', 'not been loaded'],
    ['another secret', { failure: secret }, 'bad', 'another `secret`'],
    [
      'another secret from the start',
      { failure: secret, keys: [], confirmedAt: undefined },
      'bad',
      '`secret`',
    ],
    ['a failure a moment ago', { failure }, 'good', ''],
    ['a failure for minutes', { failure, confirmedAt: NOW - 181_000 }, 'warning', '181 s ago'],
    [
      'for more than an hour',
      { failure, confirmedAt: NOW - 3_700_000, isStale: true },
      'bad',
      'the store is away',
    ],
    ['one that signs was revoked', { isSigningRevoked: true }, 'bad', 'was revoked'],
    ['no next key', { keys: well.keys.slice(0, 3) }, 'warning', 'for RS256'],
    ['no next key right after a rotation', { keys: lately, rotationDue: undefined }, 'good', ''],
    [
      'a rotation that is overdue',
      { rotationDue: NOW / 1000 - 301 },
      'warning',
      'has been due since 2030-03-17T',
    ],
    ['one that is just due', { rotationDue: NOW / 1000 - 299 }, 'good', ''],
  ])('%s', (_, change, status, message) => {
    const found = checkKeys({ ...well, ...change }, NOW)
    expect(verdictOf(found)).toBe(status)
    expect(found.message).toContain(message)
  })

  test('that the host keeps are good, and said to be the host’s; unless one that signs was revoked', () => {
    const hosts = {
      managedByHost: true,
      keys: [key('ES256', 'current', 0)],
      isSigningRevoked: false,
      isStale: false,
    }
    const found = checkKeys(hosts, NOW)
    expect(verdictOf(found)).toBe('good')
    expect(found.message).toContain('kept by the host')
    const revoked = checkKeys({ ...hosts, isSigningRevoked: true }, NOW)
    expect(verdictOf(revoked)).toBe('bad')
    expect(revoked.fix).toContain('signingKeys.jwks')
  })
})

describe('keys that are fetched', () => {
  const failure = new GatehouseError('ERR_NOT_READY', 'HTTP 404')
  test.each([
    ['not yet', { fetchedAt: undefined, failure: undefined }, 'unknown', ''],
    ['in vain', { fetchedAt: undefined, failure }, 'bad', 'HTTP 404'],
    ['there', { fetchedAt: NOW - 5000, failure: undefined }, 'good', '5 s ago'],
    ['there, but not anew', { fetchedAt: NOW - 5000, failure }, 'warning', 'HTTP 404'],
  ])('%s', (_, condition, status, message) => {
    const found = checkFetchedKeys(condition, NOW)
    expect(verdictOf(found)).toBe(status)
    expect(found.message).toContain(message)
  })
})

describe('products', () => {
  const operations = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `invoices:o${index}`,
        { route: `GET /invoices/o${index}` as const, title: 'An operation' },
      ]),
    )
  const all = createCatalog({ invoices: { title: 'Invoices', operations: operations(8) } })
  const rejection = new GatehouseError('ERR_CATALOG', 'not valid:\n  - products.x: wrong')
  const well = { loaded: true, current: all, loadedScopes: productScopesOf(all), rejection: undefined }
  const restricted = restrictCatalog(all, { invoices: ['invoices:o7'] }, 1)

  test.each([
    ['all well', {}, 'good', '1 products with 8 operations'],
    ['none yet', { loaded: false }, 'unknown', 'not been loaded'],
    ['rejected from the start', { loaded: false, rejection }, 'bad', 'products.x: wrong'],
    ['rejected the last time', { rejection }, 'warning', 'as they were before'],
    ['some withheld', { current: restricted }, 'warning', 'invoices:o0 of invoices'],
    ['some withheld, not all named', { current: restricted }, 'warning', ' and 2 more, because'],
  ])('%s', (_, change, status, message) => {
    const found = checkProducts({ ...well, ...change })
    expect(verdictOf(found)).toBe(status)
    expect(found.message).toContain(message)
  })
})

describe('revocations', () => {
  const contact = { isLost: false, ageSeconds: 2 }
  const well = { contact, mustReject: false, size: 7 }
  test.each([
    ['all well', well, true, 'good', '7 in force'],
    ['nobody tells', { ...well, contact: undefined }, true, 'warning', 'until they expire'],
    ['not read yet', { ...well, contact: { ...contact, isLost: true } }, false, 'unknown', 'not known yet'],
    ['lost', { ...well, contact: { isLost: true, ageSeconds: 20 } }, true, 'warning', 'are let through'],
    ['lost for long', { ...well, contact: { isLost: true, ageSeconds: 301 } }, true, 'bad', '301 s ago'],
    [
      'lost, and rejected',
      { ...well, contact: { isLost: true, ageSeconds: 61 }, mustReject: true },
      true,
      'bad',
      '503',
    ],
  ])('%s', (_, revocations, areKnown, status, message) => {
    const found = checkRevocations(revocations, areKnown)
    expect(verdictOf(found)).toBe(status)
    expect(found.message).toContain(message)
  })
})

describe('the start', () => {
  test.each([
    ['running', undefined, 'good', undefined],
    ['starting', undefined, 'warning', 'Wait'],
    ['closed', undefined, 'bad', 'another process'],
    ['starting', new GatehouseError('ERR_SECRET_MISMATCH', 'x'), 'bad', 'used before'],
    ['starting', new GatehouseError('ERR_STORE_UNAVAILABLE', 'x'), 'bad', 'check `store`'],
    ['starting', new GatehouseError('ERR_CATALOG', 'x'), 'bad', 'products'],
    ['starting', new GatehouseError('ERR_STORE_CORRUPT', 'x'), 'bad', 'prefix'],
    ['starting', new TypeError('x'), 'bad', 'log'],
  ] as const)('%s after %s', (state, failure, status, fix) => {
    const found = checkStart({ state, failure })
    expect(verdictOf(found)).toBe(status)
    expect(found.fix ?? '').toContain(fix ?? '')
  })
})
