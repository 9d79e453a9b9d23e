import type { Context, Next } from 'koa'
import { beforeAll, describe, expect, it } from 'vitest'
import { judge, type FindingClass } from '../../support/fuzz/oracle.ts'
import { createMaterial, type Material } from '../../support/fuzz/material.ts'
import { fuzz } from '../../support/fuzz/run.ts'
import { bytesOf, type FuzzRequest } from '../../support/fuzz/request.ts'
import {
  makeStandKeys,
  SECRET,
  SERVICE,
  startStand,
  type Stand,
  type StandKeys,
} from '../../support/fuzz/stand.ts'

/** Milliseconds: a busy machine takes ten times as long. */
const SLOW = 120_000

let keys: StandKeys
beforeAll(async () => {
  keys = await makeStandKeys()
})

describe('Generated requests', () => {
  it(
    '3,000 of them reach no handler unguarded, cause no failure, and learn no secret',
    async () => {
      const report = await fuzz({ seed: 1, count: 3000, perStand: 1000, keys })
      expect(report.findings).toEqual([])
      // Otherwise nothing would have been tried.
      expect(report.sent).toBe(3000)
      expect(report.runs).toBeGreaterThan(50)
      expect([...report.statuses.keys()]).toEqual(expect.arrayContaining([200, 303, 400, 401, 403, 404, 405]))
    },
    SLOW,
  )
})

describe('The oracle finds', () => {
  /** What stands above a host that is broken in one way. */
  const BROKEN: readonly (readonly [FindingClass, (ctx: Context, next: Next) => unknown])[] = [
    ['5xx', (ctx, next) => (ctx.path === '/auth/oauth2/introspect' ? ctx.throw(503) : next())],
    [
      'error',
      (ctx, next) => {
        if (ctx.path === '/auth/oauth2/authorize') throw new TypeError('x is not a function')
        return next()
      },
    ],
    ['good request rejected', (ctx, next) => (ctx.path === '/api/items/7' ? reject(ctx) : next())],
    ['secret in an answer', (ctx, next) => (ctx.path === '/auth/oauth2/logout' ? tell(ctx, SECRET) : next())],
    [
      'markup from a request',
      (ctx, next) => (ctx.query['state'] ? tell(ctx, [ctx.query['state']].join()) : next()),
    ],
    ['header from a request', (ctx, next) => (ctx.query['state'] && ctx.set('X-Fuzz-Injected', '1'), next())],
    ['redirect elsewhere', (ctx, next) => (ctx.query['scope'] ? ctx.redirect('//evil.example') : next())],
    ['issued without a secret', (ctx, next) => (isToken(ctx) ? answer(ctx, { access_token: 'x' }) : next())],
    ['told without a right', (ctx, next) => (isToken(ctx) ? answer(ctx, { active: true }) : next())],
  ]

  it(
    'unguarded handler, where something rewrites the path below the gateway',
    async () => {
      const between = (ctx: Context, next: Next) => {
        ctx.url = ctx.url.replace(/\/(health|status\/\w+)/, '/admin/kicks')
        return next()
      }
      const report = await fuzz({ seed: 1, count: 600, outside: 0, shortened: 0, keys, stand: { between } })
      const [found] = report.findings
      expect(found?.class).toBe('unguarded handler')
      expect(found?.detail).toContain('unlisted GET /admin/kicks')
    },
    SLOW,
  )

  it.each(BROKEN)(
    '%s',
    async (name, above) => {
      const report = await fuzz({ seed: 1, count: 300, outside: 0, shortened: 0, keys, stand: { above } })
      expect(report.findings.map((finding) => finding.class)).toContain(name)
    },
    SLOW,
  )

  it(
    'the shortest request that leads there',
    async () => {
      const above = (ctx: Context, next: Next) =>
        ctx.query['scope'] ? ctx.redirect('//evil.example') : next()
      const report = await fuzz({ seed: 1, count: 60, outside: 0, shortened: 1, keys, stand: { above } })
      const [found] = report.findings
      expect(found).toMatchObject({ class: 'redirect elsewhere', detail: '//evil.example' })
      const text = bytesOf(found!.request).toString('latin1')
      expect(text).toMatch(/scope/)
      expect(text.length).toBeLessThan(120)
    },
    SLOW,
  )

  describe('in an outcome', () => {
    let stand: Stand
    let material: Material
    const request: FuzzRequest = { server: SERVICE, method: 'GET', path: '/', query: [], headers: [] }
    const outcome = { received: '', answers: [], runs: [], incidents: [], isUnanswered: false }
    beforeAll(async () => {
      stand = await startStand({ keys, hasHostSession: true, hasBodyParser: false, isOpen: false })
      material = await createMaterial(stand)
      return () => stand.close()
    })
    const classesOf = (changes: object) =>
      judge(request, { ...outcome, ...changes }, material).map((finding) => finding.class)

    it('nothing, where nothing happened', () => {
      expect(classesOf({})).toEqual([])
    })

    it('a request that was never answered', () => {
      expect(classesOf({ isUnanswered: true })).toEqual(['no answer'])
    })

    it('a rejection that nobody caught', () => {
      expect(classesOf({ incidents: [{ kind: 'uncaught', value: new Error('x') }] })).toEqual(['error'])
    })

    it('a secret in a log line of any level', () => {
      const line = { token: `Bearer ${material.steady[0]?.text}` }
      expect(classesOf({ incidents: [{ kind: 'log', level: 'debug', value: line }] })).toEqual([
        'secret in a log',
      ])
    })

    it('the client id of somebody whom the sender did not name', () => {
      expect(classesOf({ received: material.clients[0]?.clientId })).toEqual(['client id of another'])
    })

    it('a handler that ran for another client than the token was issued to', () => {
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

function tell(ctx: Context, text: string): void {
  ctx.type = 'html'
  ctx.body = text
}

function answer(ctx: Context, body: object): void {
  ctx.status = 200
  ctx.body = JSON.stringify(body)
}

const isToken = ({ path }: Context) => path === '/auth/oauth2/token'
