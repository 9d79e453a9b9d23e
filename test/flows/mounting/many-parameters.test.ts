import type { Context } from 'koa'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Target } from '../../support/expensive/changes.ts'
import { startTargets } from '../../support/expensive/targets.ts'
import { json, send, type RawRequest } from '../../support/raw-request.ts'
import { startHost } from '../../support/host.ts'
import { startConsole } from '../console/setup.ts'

const PROBLEM = 'the query may have at most 100 parameters'

/** A query of `count` parameters. */
const queryOf = (count: number) => Array.from({ length: count }, () => 'a').join('&')

/** A request to a target with exactly `count` parameters in its query. */
function requestTo({ method, path, headers }: Target, count: number, more: Partial<RawRequest> = {}) {
  return { method, target: `${path}?${queryOf(count)}`, ...more, headers: { ...headers, ...more.headers } }
}

describe('queries with more than 100 parameters', () => {
  let targets: readonly Target[]
  let close: () => Promise<void>
  beforeAll(async () => {
    ;({ targets, close } = await startTargets(() => memoryStore()))
  })
  afterAll(() => close())

  /** Whether the host answers, or an endpoint that reads no query. */
  const readsNoQuery = ({ path }: Target) => /^\/(api|pages|leak-reports|auth\/oauth2\/usage)\b/.test(path)
  const find = (name: string) => targets.find((each) => each.name === name) ?? expect.fail(name)

  it('every endpoint, page and route that reads the query answers 400, and the API of the host is called', async () => {
    for (const target of targets) {
      const { status } = await send(target.port, requestTo(target, 101))
      if (readsNoQuery(target)) expect([target.name, status]).not.toEqual([target.name, 400])
      else expect([target.name, status]).toEqual([target.name, 400])
    }
    const { headers, text } = await send(find('GET API call').port, requestTo(find('GET API call'), 7000))
    expect(json({ text })).toMatchObject({ reached: '/api/invoices/list' })
    expect(headers.get('content-type')).toContain('json')
  })

  it('a query of 100 parameters is read as usual', async () => {
    const names = ['GET key set', 'GET signed out', 'GET console/api-keys', 'GET management/catalog']
    for (const target of names.map(find)) {
      expect((await send(target.port, requestTo(target, 100))).status).toBe(200)
    }
  })

  it('every other method gets the same answer as GET', async () => {
    const names =
      'GET authorization;GET user info;GET key set;GET interaction;GET console/;GET management/session'
    for (const target of names.split(';').map(find)) {
      for (const method of ['HEAD', 'OPTIONS', 'POST', 'DELETE']) {
        const { status } = await send(target.port, requestTo(target, 101, { method }))
        expect([target.name, method, status]).toEqual([target.name, method, 400])
      }
    }
  })

  it('programs get JSON, browsers get a page, and the management API answers with problem details', async () => {
    const accept = (type: string) => ({ headers: { accept: type } })
    const ask = (name: string, type = '*/*') =>
      send(find(name).port, requestTo(find(name), 101, accept(type)))
    const description = { error: 'invalid_request', error_description: PROBLEM }
    for (const name of [
      'POST token, client credentials',
      'GET user info',
      'GET oauth-protected-resource/api',
    ]) {
      expect(json(await ask(name, 'text/html'))).toEqual(description)
    }
    expect(json(await ask('GET authorization'))).toEqual(description)
    for (const name of ['GET authorization', 'GET sign-out', 'GET interaction']) {
      const page = await ask(name, 'text/html')
      expect(page.headers.get('content-type')).toMatch(/^text\/html/)
      expect(page.text).toContain(PROBLEM)
      expect(page.headers.get('location')).toBeNull()
    }
    const problem = await ask('GET management/session')
    expect(problem.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(json(problem)).toMatchObject({ status: 400, code: 'ERR_QUERY', detail: PROBLEM })
    expect((await ask('GET console/')).text).toContain('This address cannot be used in that way.')
  })

  it('an encoded separator and a semicolon do not separate parameters', async () => {
    const { port, path } = find('GET signed out')
    for (const separator of ['%26', ';']) {
      const target = `${path}?${`a${separator}`.repeat(1000)}`
      expect((await send(port, { target })).status).toBe(200)
    }
    expect((await send(port, { target: `${path}?${'&'.repeat(100)}` })).status).toBe(400)
  })
})

describe('callbacks and routes of the host, and a query with more than 100 parameters', () => {
  it('the console calls no callback of the host that may read the query', async () => {
    const called: string[] = []
    const host = await startConsole({
      store: memoryStore(),
      accounts: {
        current: () => void called.push('current'),
        signInUrl: () => (called.push('signInUrl'), '/login'),
      },
      console: {
        locale: () => (called.push('locale'), 'de'),
        layout: (_ctx, { body }) => (called.push('layout'), body),
      },
    })
    const { status } = await send(host.port, { target: `/console/api-keys?${queryOf(101)}` })
    expect([status, called]).toEqual([400, []])
    await host.close()
  })

  it('routes of the host below the issuer are called', async () => {
    const host = await startHost()
    for (const path of ['/auth/oauth2/callback', '/auth/oauth2/logout-of-ours', '/auth/oauth2', '/other']) {
      const { text } = await send(host.port, { target: `${path}?${queryOf(7000)}` })
      expect(json({ text })).toMatchObject({ reached: path })
    }
    await host.close()
  })

  it('a service behind a prefix of Express or connect counts as well', async () => {
    const host = await startHost({
      issuerPath: '/platform/auth',
      serve: (app) => (request, response) => {
        Object.assign(request, { originalUrl: request.url })
        request.url = request.url?.replace('/platform', '')
        return app.callback()(request, response)
      },
    })
    const target = '/platform/auth/oauth2/jwks?'
    expect((await send(host.port, { target: target + queryOf(101) })).status).toBe(400)
    expect((await send(host.port, { target: target + queryOf(100) })).status).toBe(200)
    await host.close()
  })

  it('a rewrite of the query above the service counts', async () => {
    const host = await startHost({
      above: [
        (ctx: Context, next) => {
          if (ctx.query['rewrite'] !== undefined) ctx.querystring = queryOf(101)
          return next()
        },
      ],
    })
    expect((await send(host.port, { target: '/auth/oauth2/jwks?rewrite' })).status).toBe(400)
    expect((await send(host.port, { target: '/auth/oauth2/jwks' })).status).toBe(200)
    await host.close()
  })
})
