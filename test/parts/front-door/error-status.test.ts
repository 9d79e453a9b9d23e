import type { Context } from 'koa'
import { describe, expect, it } from 'vitest'
import { GatehouseError, type GatehouseErrorCode } from '../../../src/errors.ts'
import { createFailures, failureOf } from '../../../src/parts/front-door/error-status.ts'
import { Rejection } from '../../../src/parts/front-door/rejection.ts'

describe('failureOf()', () => {
  it.each([
    ['ERR_INVALID_ARGUMENT', 422],
    ['ERR_SCOPE_TOO_LARGE', 422],
    ['ERR_TOO_MANY_CLIENTS', 422],
    ['ERR_NOT_FOUND', 404],
    ['ERR_CONFLICT', 409],
    ['ERR_SIGNING_KEYS_READ_ONLY', 409],
    ['ERR_CHANGED', 412],
    ['ERR_IDEMPOTENCY_KEY', 422],
  ] satisfies [GatehouseErrorCode, number][])(
    '%s of a service is %i, and its first line may be read',
    (code, status) => {
      const failure = failureOf(new GatehouseError(code, 'what is wrong\nand more'))
      expect(failure).toMatchObject({ code, status, message: 'what is wrong', reason: undefined })
    },
  )

  it('a later try may succeed while a change is in progress, and while the store is unavailable', () => {
    for (const code of ['ERR_IN_PROGRESS', 'ERR_STORE_UNAVAILABLE'] as const) {
      expect(failureOf(new GatehouseError(code, 'x')).headers).toEqual({ 'Retry-After': '1' })
    }
  })

  it.each([
    new Error('password of the database'),
    'a text',
    undefined,
    new GatehouseError('ERR_STORE_CORRUPT', 'a key'),
    new GatehouseError('ERR_STORE_UNAVAILABLE', 'the address of the store'),
  ])('the cause of an error on our side stays there (%s)', (error) => {
    const failure = failureOf(error)
    expect(failure.status).toBeGreaterThanOrEqual(500)
    expect(failure).toMatchObject({ message: undefined, problems: [] })
  })

  it('a rejection has the reason, the status and the code; a path with other methods has them in Allow', () => {
    const failure = failureOf(new Rejection('method', { allowed: 'GET, HEAD' }))
    expect(failure).toMatchObject({
      reason: 'method',
      status: 405,
      code: 'ERR_METHOD',
      headers: { Allow: 'GET, HEAD' },
    })
  })
})

describe('createFailures()', () => {
  function setUp() {
    const seen: unknown[] = []
    const log = (level: string) => (fields: object, message: string) =>
      void seen.push([level, message, Object.keys(fields)])
    const logger = { warn: log('warn'), error: log('error') } as never
    const events = { emit: (name: string) => void seen.push(name) } as never
    const app = { listenerCount: () => 1, emit: (name: string) => void seen.push(`app ${name}`) }
    const ctx = { method: 'GET', path: '/x', app } as unknown as Context
    return { fail: createFailures('a page', { logger, events }), ctx, seen }
  }

  it('reports 500 as an error of the app, 503 as a warning, and nothing below', () => {
    const { fail, ctx, seen } = setUp()
    fail(ctx, new GatehouseError('ERR_NOT_FOUND', 'x'))
    fail(ctx, new Rejection('csrfToken'))
    expect(seen).toEqual([])
    fail(ctx, new GatehouseError('ERR_STORE_UNAVAILABLE', 'x'))
    expect(seen).toEqual([
      ['warn', 'a page was answered with 503', ['method', 'path', 'code', 'reason']],
      'error',
    ])
    seen.length = 0
    fail(ctx, 'not an Error')
    expect(seen).toEqual([
      ['error', 'a page failed', ['err', 'method', 'path', 'code']],
      'app error',
      'error',
    ])
  })
})
