import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import { productScopesOf } from '../../src/catalog/product-scopes.ts'
import { restrictCatalog } from '../../src/catalog/live-catalog.ts'
import { CredentialsRejectedError, GatehouseError } from '../../src/errors.ts'
import { checkClock } from '../../src/health/store-health.ts'
import { checkFetchedKeys } from '../../src/health/fetched-keys-check.ts'
import type { HealthCheck } from '../../src/health/health-report.ts'
import { checkKeys } from '../../src/health/key-check.ts'
import { checkProducts } from '../../src/health/product-check.ts'
import { checkRevocations } from '../../src/health/revocations-check.ts'
import { checkStart } from '../../src/health/read-health.ts'
import type { KeyCondition } from '../../src/keys/signing-keys.ts'
import { CircuitOpenError } from '../../src/store/circuit-breaker.ts'

const NOW = 1_900_000_000_000

/** Returns the status of a check. Expects that the check has a remedy, unless its status is pass. */
function statusOf(check: HealthCheck | undefined) {
  expect(check?.remedy === undefined).toBe(check?.status === 'pass')
  return check?.status
}

describe('checkClock()', () => {
  const asked = { from: NOW, until: NOW + 400 }
  const TIMES: [what: string, time: number, status: string][] = [
    ['equal to the time of the request', NOW, 'pass'],
    ['equal to the time of the answer', NOW + 400, 'pass'],
    ['a second before the request', NOW - 1000, 'pass'],
    ['a second after the answer', NOW + 1400, 'pass'],
    ['more than a second before the request', NOW - 1001, 'warn'],
    ['more than a second after the answer', NOW + 1401, 'warn'],
    ['half a minute before the request', NOW - 30_000, 'warn'],
    ['more than half a minute before the request', NOW - 30_001, 'fail'],
    ['more than half a minute after the answer', NOW + 30_401, 'fail'],
  ]
  it('the clock check compares the clock of the database with the times of request and answer', () => {
    const found = TIMES.map(([what, time]) => [what, time, statusOf(checkClock(time, asked))])
    expect(found).toEqual(TIMES)
    expect(checkClock(NOW - 5000, asked)?.message).toContain('5 s ahead of that of the database')
    expect(checkClock(NOW + 5400, asked)?.message).toContain('5 s behind that of the database')
    expect(checkClock(undefined, asked)).toBeUndefined()
  })
})

describe('checkKeys()', () => {
  const key = (alg: 'ES256' | 'RS256', state: 'current' | 'next', since = NOW / 1000 - 10_000) => ({
    alg,
    state,
    since,
  })
  const healthy: KeyCondition = {
    managedByHost: false,
    keys: [key('ES256', 'current'), key('RS256', 'current'), key('ES256', 'next'), key('RS256', 'next')],
    isSigningRevoked: false,
    confirmedAt: NOW - 30_000,
    stale: false,
    rotationDue: NOW / 1000 + 86_400,
  }
  const failure = new GatehouseError('ERR_STORE_UNAVAILABLE', 'the store is unavailable')
  const secret = new GatehouseError('ERR_SECRET_MISMATCH', 'another secret')
  const afterRotation = [
    key('ES256', 'current', NOW / 1000 - 200),
    ...healthy.keys.slice(1, 2),
    ...healthy.keys.slice(3),
  ]

  it.each<[string, Partial<KeyCondition>, string, string]>([
    ['that are valid', {}, 'pass', 'as of 30 s ago'],
    [
      'that are not loaded yet',
      { keys: [], confirmedAt: undefined, stale: true },
      'unknown',
      'not been loaded',
    ],
    ['that are encrypted under another secret', { failure: secret }, 'fail', 'another `secret`'],
    [
      'that were never loaded, because they are encrypted under another secret',
      { failure: secret, keys: [], confirmedAt: undefined },
      'fail',
      '`secret`',
    ],
    ['that could not be refreshed a moment ago', { failure }, 'pass', ''],
    ['that could not be refreshed for minutes', { failure, confirmedAt: NOW - 181_000 }, 'warn', '181 s ago'],
    [
      'that could not be refreshed for an hour',
      { failure, confirmedAt: NOW - 3_700_000, stale: true },
      'fail',
      'the store is unavailable',
    ],
    ['of which a signing key was revoked', { isSigningRevoked: true }, 'fail', 'was revoked'],
    ['without a next key', { keys: healthy.keys.slice(0, 3) }, 'warn', 'for RS256'],
    [
      'without a next key right after a rotation',
      { keys: afterRotation, rotationDue: undefined },
      'pass',
      '',
    ],
    ['with an overdue rotation', { rotationDue: NOW / 1000 - 301 }, 'warn', 'has been due since 2030-03-17T'],
    ['with a rotation that is just due', { rotationDue: NOW / 1000 - 299 }, 'pass', ''],
  ])('checkKeys() returns the expected status for keys %s', (_, change, status, message) => {
    const found = checkKeys({ ...healthy, ...change }, NOW)
    expect(statusOf(found)).toBe(status)
    expect(found.message).toContain(message)
  })

  it('keys that the host manages pass the check, unless a signing key was revoked', () => {
    const hostKeys = {
      managedByHost: true,
      keys: [key('ES256', 'current', 0)],
      isSigningRevoked: false,
      stale: false,
    }
    const found = checkKeys(hostKeys, NOW)
    expect(statusOf(found)).toBe('pass')
    expect(found.message).toContain('managed by the host')
    const revoked = checkKeys({ ...hostKeys, isSigningRevoked: true }, NOW)
    expect(statusOf(revoked)).toBe('fail')
    expect(revoked.remedy).toContain('signingKeys.jwks')
  })
})

describe('checkFetchedKeys()', () => {
  const failure = new GatehouseError('ERR_NOT_READY', 'HTTP 404')
  it.each([
    ['that are not fetched yet', { fetchedAt: undefined, failure: undefined }, 'unknown', ''],
    ['that cannot be fetched', { fetchedAt: undefined, failure }, 'fail', 'HTTP 404'],
    ['that were fetched', { fetchedAt: NOW - 5000, failure: undefined }, 'pass', '5 s ago'],
    ['that cannot be fetched again', { fetchedAt: NOW - 5000, failure }, 'warn', 'HTTP 404'],
  ])('checkFetchedKeys() returns the expected status for keys %s', (_, condition, status, message) => {
    const found = checkFetchedKeys(condition, NOW)
    expect(statusOf(found)).toBe(status)
    expect(found.message).toContain(message)
  })
})

describe('checkProducts()', () => {
  const operations = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `invoices:o${index}`,
        { route: `GET /invoices/o${index}` as const, title: 'An operation' },
      ]),
    )
  const all = createCatalog({ invoices: { title: 'Invoices', operations: operations(8) } })
  const rejection = new GatehouseError('ERR_CATALOG', 'not valid:\n  - products.x: wrong')
  const healthy = { loaded: true, current: all, loadedScopes: productScopesOf(all), rejection: undefined }
  const restricted = restrictCatalog(all, { invoices: ['invoices:o7'] }, 1)

  it.each([
    ['that are loaded', {}, 'pass', '1 products with 8 operations'],
    ['that are not loaded yet', { loaded: false }, 'unknown', 'not been loaded'],
    ['that were rejected at every load', { loaded: false, rejection }, 'fail', 'products.x: wrong'],
    ['whose last load was rejected', { rejection }, 'warn', 'from an earlier load'],
    ['that lack some operations', { current: restricted }, 'warn', 'invoices:o0 of invoices'],
    [
      'that lack more operations than the message names',
      { current: restricted },
      'warn',
      ' and 2 more. A process that ',
    ],
  ])('checkProducts() returns the expected status for products %s', (_, change, status, message) => {
    const found = checkProducts({ ...healthy, ...change })
    expect(statusOf(found)).toBe(status)
    expect(found.message).toContain(message)
  })
})

describe('checkRevocations()', () => {
  const freshness = { isStale: false, ageSeconds: 2 }
  const healthy = { freshness, mustReject: false, failure: undefined as unknown, size: 7 }
  it.each([
    ['that are fresh', healthy, true, 'pass', '7 are active'],
    ['without a source', { ...healthy, freshness: undefined }, true, 'warn', 'until they expire'],
    [
      'that are not known yet',
      { ...healthy, freshness: { ...freshness, isStale: true } },
      false,
      'unknown',
      'not known yet',
    ],
    [
      'that are stale',
      { ...healthy, freshness: { isStale: true, ageSeconds: 20 } },
      true,
      'warn',
      'are accepted',
    ],
    [
      'that are stale for minutes',
      { ...healthy, freshness: { isStale: true, ageSeconds: 301 } },
      true,
      'fail',
      '301 s ago',
    ],
    [
      'too stale to accept tokens',
      { ...healthy, freshness: { isStale: true, ageSeconds: 61 }, mustReject: true },
      true,
      'fail',
      '503',
    ],
    [
      'whose source rejects the key of this gateway',
      {
        ...healthy,
        freshness: { isStale: true, ageSeconds: 2 },
        failure: new CredentialsRejectedError('ERR_NOT_READY', 'key_1 is rejected'),
      },
      true,
      'fail',
      'key_1 is rejected',
    ],
    [
      'whose store rejects the user, as the circuit breaker of the store says',
      {
        ...healthy,
        freshness: { isStale: true, ageSeconds: 2 },
        failure: new CircuitOpenError(
          'the last failure: NOPERM',
          new CredentialsRejectedError('ERR_STORE_UNAVAILABLE', 'NOPERM'),
        ),
      },
      true,
      'fail',
      'NOPERM',
    ],
  ])(
    'checkRevocations() returns the expected status for revocations %s',
    (_, revocations, areKnown, status, message) => {
      const found = checkRevocations(revocations, areKnown)
      expect(statusOf(found)).toBe(status)
      expect(found.message).toContain(message)
    },
  )
})

describe('checkStart()', () => {
  it.each([
    ['running', undefined, 'pass', undefined],
    ['starting', undefined, 'warn', 'Wait'],
    ['closed', undefined, 'fail', 'another process'],
    ['starting', new GatehouseError('ERR_SECRET_MISMATCH', 'x'), 'fail', 'used before'],
    ['starting', new GatehouseError('ERR_STORE_UNAVAILABLE', 'x'), 'fail', 'check `store`'],
    ['starting', new CredentialsRejectedError('ERR_NOT_READY', 'x'), 'fail', 'API key'],
    ['starting', new GatehouseError('ERR_CATALOG', 'x'), 'fail', 'products'],
    ['starting', new GatehouseError('ERR_OPTIONS', 'x'), 'fail', 'products'],
    ['starting', new GatehouseError('ERR_STORE_CORRUPT', 'x'), 'fail', 'prefix'],
    ['starting', new TypeError('x'), 'fail', 'log'],
  ] as const)(
    'checkStart() returns the expected status for the state %s and the failure %s',
    (state, failure, status, remedy) => {
      const found = checkStart({ state, failure }, false)
      expect(statusOf(found)).toBe(status)
      expect(found.remedy ?? '').toContain(remedy ?? '')
    },
  )
})
