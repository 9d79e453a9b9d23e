import type { Context, Next } from 'koa'
import { beforeAll, describe, expect, it } from 'vitest'
import { judge, type FindingClass } from '../../support/fuzz/oracle.ts'
import { createMaterial, type Material } from '../../support/fuzz/material.ts'
import { fuzz, type Met } from '../../support/fuzz/run.ts'
import { bytesOf, type FuzzRequest } from '../../support/fuzz/request.ts'
import {
  makeFuzzHostKeys,
  SECRET,
  SERVICE,
  startFuzzHost,
  type FuzzHost,
  type FuzzHostKeys,
} from '../../support/fuzz/fuzz-host.ts'

/** Time limit of one test in milliseconds. A busy machine may take ten times as long as an idle machine. */
const RUN_TIMEOUT_MS = 120_000

let keys: FuzzHostKeys
beforeAll(async () => {
  keys = await makeFuzzHostKeys()
})

describe('generated requests', () => {
  it(
    '1,000 generated requests reach no handler without a token, cause no failure and reveal no secret',
    async () => {
      const report = await fuzz({ seed: 1, count: 1000, perHost: 500, keys })
      expect(report.findings).toEqual([])
      // The test really sent its requests, reached handlers and got different statuses.
      expect(report.sent).toBe(1000)
      expect(report.runs).toBeGreaterThan(50)
      expect([...report.statuses.keys()]).toEqual(expect.arrayContaining([200, 303, 400, 401, 403, 404, 405]))
    },
    RUN_TIMEOUT_MS,
  )
})

describe('the oracle', () => {
  /**
   * Faults that the oracle must find. The oracle is the part of the fuzz test that judges each response. An
   * entry has the class that the oracle must report, a function that selects requests, and a faulty handler
   * that answers these requests.
   */
  const FAULTS: readonly (readonly [FindingClass, (ctx: Context) => boolean, (ctx: Context) => unknown])[] = [
    ['5xx', ({ path }) => path === '/auth/oauth2/introspect', (ctx) => ctx.throw(503)],
    [
      'error',
      ({ path }) => path === '/auth/oauth2/revoke',
      () => {
        throw new TypeError('x is not a function')
      },
    ],
    ['valid request rejected', ({ path }) => path === '/api/items/7', reject],
    ['secret in an answer', ({ path }) => path === '/auth/oauth2/logout', (ctx) => answerHtml(ctx, SECRET)],
    [
      'header from a request',
      ({ path }) => path.includes('/.well-known/'),
      (ctx) => ctx.set('X-Fuzz-Injected', '1'),
    ],
    [
      'markup from a request',
      ({ path, query }) => path === '/auth/oauth2/authorize' && Boolean(query['state']),
      (ctx) => answerHtml(ctx, [ctx.query['state']].join()),
    ],
    [
      'redirect elsewhere',
      ({ path, query }) => path === '/auth/oauth2/authorize' && Boolean(query['scope']),
      (ctx) => ctx.redirect('//evil.example'),
    ],
    [
      'issued without a secret',
      ({ path, method }) => path === '/auth/oauth2/token' && method === 'POST',
      (ctx) => answerJson(ctx, { access_token: 'x' }),
    ],
    [
      'information without permission',
      ({ path }) => path === '/auth/oauth2/userinfo',
      (ctx) => answerJson(ctx, { active: true }),
    ],
  ]

  it(
    'the oracle finds every fault of a broken host',
    async () => {
      const above = (ctx: Context, next: Next) => {
        const fault = FAULTS.find(([, isAt]) => isAt(ctx))
        return fault ? fault[2](ctx) : next()
      }
      const report = await fuzz({ seed: 1, count: 600, outside: 0, shortened: 0, keys, fuzzHost: { above } })
      const found = new Set(report.findings.map((finding) => finding.class))
      expect([...found]).toEqual(expect.arrayContaining(FAULTS.map(([name]) => name)))
    },
    RUN_TIMEOUT_MS,
  )

  it(
    'the oracle finds an unguarded handler if middleware below the gateway rewrites the path',
    async () => {
      const between = (ctx: Context, next: Next) => {
        ctx.url = ctx.url.replace(/\/(health|status\/\w+)/, '/admin/kicks')
        return next()
      }
      const report = await fuzz({
        seed: 1,
        count: 600,
        outside: 0,
        shortened: 0,
        keys,
        fuzzHost: { between },
      })
      const [found] = report.findings
      expect(found?.class).toBe('unguarded handler')
      expect(found?.detail).toContain('unlisted GET /admin/kicks')
    },
    RUN_TIMEOUT_MS,
  )

  it(
    'fuzz() reports a finding when it meets it, and the shortened request at the end',
    async () => {
      const above = (ctx: Context, next: Next) =>
        ctx.query['scope'] ? ctx.redirect('//evil.example') : next()
      const met: Met[] = []
      const onFinding = (one: Met) => met.push(one)
      const report = await fuzz({
        seed: 1,
        count: 60,
        outside: 0,
        shortened: 1,
        keys,
        fuzzHost: { above },
        onFinding,
      })
      const [found] = report.findings
      expect(found).toMatchObject({ class: 'redirect elsewhere', detail: '//evil.example' })
      // The finding was reported when it was met: with the whole request, and with its position.
      expect(met).toHaveLength(report.findings.length)
      expect(met[0]?.finding).toMatchObject({ class: 'redirect elsewhere', detail: '//evil.example' })
      expect(met[0]?.number).toBeLessThan(60)
      expect(bytesOf(met[0]!.request).length).toBeGreaterThanOrEqual(bytesOf(found!.request).length)
      const text = bytesOf(found!.request).toString('latin1')
      expect(text).toMatch(/scope/)
      expect(text.length).toBeLessThan(120)
    },
    RUN_TIMEOUT_MS,
  )

  describe('a single outcome', () => {
    let fuzzHost: FuzzHost
    let material: Material
    const request: FuzzRequest = { server: SERVICE, method: 'GET', path: '/', query: [], headers: [] }
    const outcome = { received: '', answers: [], runs: [], incidents: [], isUnanswered: false }
    beforeAll(async () => {
      fuzzHost = await startFuzzHost({ keys, hasHostSession: true, hasBodyParser: false, isOpen: false })
      material = await createMaterial(fuzzHost)
      return () => fuzzHost.close()
    })
    const classesOf = (changes: object) =>
      judge(request, { ...outcome, ...changes }, material).map((finding) => finding.class)

    it('the oracle finds nothing in an empty outcome', () => {
      expect(classesOf({})).toEqual([])
    })

    it('the oracle finds an unanswered request', () => {
      expect(classesOf({ isUnanswered: true })).toEqual(['no answer'])
    })

    it('the oracle finds an unhandled rejection', () => {
      expect(classesOf({ incidents: [{ kind: 'uncaught', value: new Error('x') }] })).toEqual(['error'])
    })

    it('the oracle finds a secret in a log line of any level', () => {
      const line = { token: `Bearer ${material.steady[0]?.text}` }
      expect(classesOf({ incidents: [{ kind: 'log', level: 'debug', value: line }] })).toEqual([
        'secret in a log',
      ])
    })

    it('the oracle finds the client id of a client that the request did not name', () => {
      expect(classesOf({ received: material.clients[0]?.clientId })).toEqual(['client id of another'])
    })

    it('the oracle finds a handler that ran for a client other than the client of the token', () => {
      const { text = '' } = material.steady[0] ?? {}
      const authorized: FuzzRequest = { ...request, headers: [['Authorization', `Bearer ${text}`]] }
      const runs = [{ handler: 'items:read', clientId: material.steady[0]?.clientId }]
      expect(judge(authorized, { ...outcome, runs }, material)).toEqual([])
      const [finding] = judge(authorized, { ...outcome, runs: [{ ...runs[0]!, clientId: 'x' }] }, material)
      expect(finding?.class).toBe('unguarded handler')
    })
  })
})

function reject(ctx: Context): void {
  ctx.status = 401
  ctx.body = { error: 'invalid_token' }
}

function answerHtml(ctx: Context, text: string): void {
  ctx.type = 'html'
  ctx.body = text
}

function answerJson(ctx: Context, body: object): void {
  ctx.status = 200
  ctx.body = JSON.stringify(body)
}
