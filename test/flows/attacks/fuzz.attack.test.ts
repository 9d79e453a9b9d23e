import type { Context, Next } from 'koa'
import { beforeAll, describe, expect, it } from 'vitest'
import type { FindingClass } from '../../support/fuzz/oracle.ts'
import { fuzz } from '../../support/fuzz/run.ts'
import { makeFuzzHostKeys, SECRET, type FuzzHostKeys } from '../../support/fuzz/fuzz-host.ts'

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
