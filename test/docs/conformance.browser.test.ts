import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startAuthorizationServer } from '../../docs/conformance/authorization-server.ts'
import { describeWithChromium, startChromium } from '../support/chromium.ts'
import { freePort } from '../support/free-port.ts'
import { findProgram } from '../support/required-programs.ts'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

/** A row of the tables of docs/conformance/README.md. */
interface Row {
  readonly module: string
  readonly answer: string
  readonly tests: readonly { readonly file: string; readonly title: string }[]
}

function rowsOf(document: string): Row[] {
  return [...document.matchAll(/^\| `(oidcc-[\w-]+)` +\|[^|]*(\|[^|]*\|.*)\|$/gm)].map(
    ([, module = '', answer = '']) => ({
      module,
      answer,
      tests: [...answer.matchAll(/`(test\/[\w./-]+)` “(.+?)”/g)].map(([, file = '', title = '']) => ({
        file,
        title,
      })),
    }),
  )
}

/** The rows that name neither a test that exists nor a reason. */
function rowsWithoutProof(rows: readonly Row[]): string[] {
  const exists = ({ file, title }: Row['tests'][number]) => {
    if (!existsSync(path.join(root, file))) return false
    const text = read(file)
    return [`'${title}'`, `"${title}"`, `\`${title}\``].some((quoted) => text.includes(quoted))
  }
  return rows
    .filter(
      ({ answer, tests }) => !tests.every(exists) || (tests.length === 0 && !/Not supported/.test(answer)),
    )
    .map(({ module }) => module)
}

describe('docs/conformance', () => {
  const document = read('docs/conformance/README.md')

  it('the tables of the conformance suite name tests that exist, with their titles', () => {
    const rows = rowsOf(document)
    expect(rows).toHaveLength(38 + 1 + 11)
    expect(new Set(rows.map(({ module }) => module)).size).toBe(rows.length)
    expect(document.match(/^\| `/gm)).toHaveLength(rows.length)
    expect(rowsWithoutProof(rows)).toEqual([])
  })

  it('the check of the tables finds a missing title, a missing file, and a row without a test', () => {
    for (const [there, instead] of [
      ['logout.test.ts` “a sign-out', 'logout.test.ts` “another sign-out'],
      ['reuse-detection.test.ts', 'reuse.test.ts'],
      ['Not supported: every', 'every'],
    ] as const) {
      expect(document).toContain(there)
      expect(rowsWithoutProof(rowsOf(document.replaceAll(there, instead)))).not.toEqual([])
    }
  })
})

type Command = readonly [string, string, string, ...(string | number)[]]

/** The steps run in Chromium without JavaScript, which does what `plan.json` asks of the suite's browser. */
const describeSteps = findProgram('openssl') === undefined ? describe.skip : describeWithChromium
describeSteps('the browser steps of docs/conformance/plan.json', () => {
  /** Answers as the suite does when the browser returns. */
  const answering = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<p id="submission_complete">done</p>'),
  )
  let suite: string
  let callback: string
  let origin: string
  let server: Awaited<ReturnType<typeof startAuthorizationServer>>
  let chromium: Browser
  let page: Page
  /** The texts of the pages that a step saved for a person to look at. */
  const saved: string[] = []

  beforeAll(async () => {
    await once(answering.listen(0, '127.0.0.1'), 'listening')
    suite = `http://127.0.0.1:${(answering.address() as AddressInfo).port}`
    callback = `${suite}/test/a/koa-gatehouse/callback`
    origin = `https://localhost:${await freePort()}`
    server = await startAuthorizationServer({ origin, suite })
    chromium = await startChromium()
  })
  afterAll(async () => {
    await chromium?.close()
    await server?.close()
    answering.close()
  })

  /** Opens an address in a browser, follows its steps, and returns the address and the done tasks. */
  async function walk(url: URL) {
    const { browser } = server.configuration
    const steps = browser.find(({ match }) => matches(match, url.href))
    if (!steps) throw new Error(`no steps for ${url.href}`)
    await page.goto(url.href)
    const done: string[] = []
    for (const { task, match, commands, ...more } of steps.tasks) {
      await page.waitForLoadState('load')
      if (matches(match, page.url())) {
        for (const command of commands as unknown as Command[]) await run(command)
        done.push(task)
      } else if (!('optional' in more)) throw new Error(`${task}: unexpected address ${page.url()}`)
    }
    return { end: new URL(page.url()), done }
  }

  async function run([name, kind, target, ...more]: Command): Promise<void> {
    if (kind === 'contains') return page.waitForURL((url) => url.href.includes(target))
    if (kind === 'match') return page.waitForURL((url) => new RegExp(target).test(url.href))
    const selector = { id: `#${target}`, css: target, xpath: `xpath=${target}` }[kind]
    if (selector === undefined) throw new Error(`unknown selector ${kind}`)
    const element = page.locator(selector).first()
    if (name === 'wait') {
      await element.waitFor({ state: 'attached' })
      if (more[1] === undefined) return
      const text = await element.innerText()
      expect(text).toMatch(new RegExp(String(more[1])))
      saved.push(text)
      return
    }
    if (more.includes('optional') && (await element.count()) === 0) return
    expect(await page.locator(selector).count()).toBe(1)
    if (name === 'text') await element.fill(String(more[0]))
    else if (name === 'click') await element.click()
    else throw new Error(`unknown command ${name}`)
  }

  /** The patterns of the suite: `*` is any text. */
  const matches = (pattern: string, url: string) =>
    new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`, 's').test(url)
  const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

  async function openBrowser(): Promise<void> {
    const context = await chromium.newContext({ javaScriptEnabled: false, ignoreHTTPSErrors: true })
    page = await context.newPage()
    page.setDefaultTimeout(5000)
    saved.splice(0)
  }

  /** The address of a request as the suite writes it: sorted parameters, and `/` and `:` as they are. */
  function authorizationUrl(parameters: Record<string, string> = {}, client = 'client'): URL {
    const { client_id } = server.configuration[client as 'client' | 'client2']
    const all = { client_id, response_type: 'code', scope: 'openid', redirect_uri: callback, ...parameters }
    const query = Object.entries(all)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map((pair) => pair.join('='))
    return new URL(`${origin}/auth/oauth2/authorize?${query.join('&')}`)
  }

  it('the configuration has a value for each name in braces', () => {
    expect(JSON.stringify(server.configuration)).not.toMatch(/\{\w+\}/)
    expect(server.configuration.server.discoveryUrl).toBe(`${origin}/auth/.well-known/openid-configuration`)
  })

  it('the steps sign in and approve, sign in again without consent, and approve another application', async () => {
    await openBrowser()
    const scope = 'openid profile email address phone'
    const first = await walk(authorizationUrl({ scope, ui_locales: 'de' }))
    expect(first.end.href).toMatch(`${callback}?code=`)
    expect(first.done).toEqual(['Sign in', 'Approve', 'Return to the application'])
    const silent = await walk(authorizationUrl({ prompt: 'none' }))
    expect(silent.done).toEqual(['Return to the application'])
    expect(silent.end.searchParams.has('code')).toBe(true)
    expect(saved).toEqual([])
    for (const parameters of [{ prompt: 'login' }, { max_age: '1' }]) {
      await setTimeout(2000)
      const again = await walk(authorizationUrl(parameters))
      expect(again.done).toEqual(['Sign in again', 'Return to the application'])
      expect(again.end.searchParams.has('code')).toBe(true)
    }
    expect(saved).toEqual(Array(2).fill(expect.stringContaining('Password')))
    const other = await walk(authorizationUrl({}, 'client2'))
    expect(other.done).toEqual(['Sign in', 'Approve', 'Return to the application'])
    expect(other.end.searchParams.has('code')).toBe(true)
  })

  it('the steps save the error page of an unregistered redirect URI', async () => {
    await openBrowser()
    const { done, end } = await walk(authorizationUrl({ redirect_uri: `${callback}/x` }))
    expect(done).toEqual(['See the error page'])
    expect(end.origin).toBe(origin)
    expect(saved).toEqual([expect.stringContaining('invalid_redirect_uri')])
  })

  it('the steps sign out to the registered address, to the last page, and to the error page', async () => {
    const signOut = (parameters: Record<string, string>) =>
      walk(new URL(`${origin}/auth/oauth2/logout?${new URLSearchParams(parameters).toString()}`))
    const { client_id } = server.configuration.client
    const registered = `${suite}/test/a/koa-gatehouse/post_logout_redirect`

    await openBrowser()
    await walk(authorizationUrl())
    const failed = await signOut({ client_id, post_logout_redirect_uri: `${registered}?foo=bar` })
    expect(failed.end.origin).toBe(origin)
    expect(saved.at(-1)).toContain('invalid_request')
    const redirected = await signOut({ client_id, post_logout_redirect_uri: registered, state: 'x' })
    expect(redirected.end.href).toBe(`${registered}?state=x`)

    await openBrowser()
    await walk(authorizationUrl())
    const alone = await signOut({ state: 'x' })
    expect(alone.done).toEqual(['Confirm the sign-out', 'See the last page'])
    expect(saved.at(-1)).toContain('You are signed out')
    expect((await walk(authorizationUrl({ prompt: 'none' }))).end.searchParams.get('error')).toBe(
      'login_required',
    )
  })
})
