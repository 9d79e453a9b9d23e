import { createHash, sign } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { Middleware } from 'koa'
import type { Store } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLeakReports, type LeakReportsOptions } from '../../../src/leak-reports.ts'
import { faultyStore } from '../../support/faulty-store.ts'
import { startHost, type Host } from '../../support/host.ts'
import { newSecret } from '../../support/secrets.ts'
import { match, reporterKey, signedReport, startKeyServer } from './reporter.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('leak reports', () => {
  const scanner = reporterKey('first')
  let keyServer: Awaited<ReturnType<typeof startKeyServer>>
  let store: ReturnType<typeof memoryStore>
  let host: Host
  const hosts: Host[] = []

  beforeEach(async () => {
    store = memoryStore()
    keyServer = await startKeyServer([scanner])
    host = await start()
  })
  afterEach(async () => {
    vi.useRealTimers()
    await Promise.all(hosts.splice(0).map((each) => each.close()))
    await keyServer.close()
  })

  async function start(
    options?: LeakReportsOptions,
    sharedStore: Store = store,
    above: readonly Middleware[] = [],
  ): Promise<Host> {
    const started = await startHost({
      store: sharedStore,
      above,
      mount(app, gatehouse) {
        app.use(createLeakReports(gatehouse, options ?? { keysUrl: keyServer.url }))
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
      },
    })
    hosts.push(started)
    return started
  }

  async function send(init: RequestInit, at = host) {
    const response = await fetch(`${at.origin}/leak-reports`, init)
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  const report = (matches: readonly object[], at = host) =>
    send(signedReport(JSON.stringify(matches), scanner), at)

  it('a leaked secret is revoked in every process, and no new secret is made', async () => {
    const other = await start()
    const events: unknown[] = []
    host.gatehouse.on('client.compromised', (event) => events.push(event))
    const key = await host.createApiKey()
    const { body } = await other.requestDirectToken(key)
    const accessToken = String(body['access_token'])
    expect((await other.call('GET /invoices/list', accessToken)).status).toBe(200)

    const url = `https://code.example/acme/.env?${key.client_secret}`
    const { status, headers, body: answer } = await report([match(key.client_secret, { url })])
    expect(headers.get('cache-control')).toBe('no-store')
    expect({ status, answer }).toEqual({
      status: 200,
      answer: [{ token_hash: sha256(key.client_secret), token_type: 'example_key', label: 'true_positive' }],
    })
    await vi.waitFor(async () => {
      expect((await other.call('GET /invoices/list', accessToken)).status).toBe(401)
      expect((await other.requestDirectToken(key)).status).toBe(401)
    })
    expect(await host.gatehouse.apiKeys.listSecrets(key.client_id)).toEqual([])
    const where = { leakSource: 'commit', leakUrl: 'https://code.example/…' }
    expect(events).toMatchObject([{ clientId: key.client_id, ...where }])
    const { items } = await host.gatehouse.audit.list({ clientId: key.client_id })
    expect(items[0]).toMatchObject({ name: 'client.compromised', ...where })
    expect(JSON.stringify(items)).not.toContain(key.client_secret)
  })

  it("the request in GitHub's documentation is accepted byte by byte, and not with another space", async () => {
    // https://docs.github.com/en/code-security/secret-scanning/secret-scanning-partnership-program/secret-scanning-partner-program
    // The key is the one of that id at https://api.github.com/meta/public_keys/secret_scanning
    const id = 'bcb53661c06b4728e59d897fb6165d5c9cda0fd9cdf9d09ead458168deb7518c'
    const key =
      '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYAGMWO8XgCamYKMJS6jc/qgvSlAd\nAjPuDPRcXU22YxgBrz+zoN19MzuRyW87qEt9/AmtoNP5GrobzUvQSyJFVw==\n-----END PUBLIC KEY-----\n'
    const signature =
      'MEQCIQDaMKqrGnE27S0kgMrEK0eYBmyG0LeZismAEz/BgZyt7AIfXt9fErtRS4XaeSt/AO1RtBY66YcAdjxji410VQV4xg=='
    const body =
      '[{"source":"commit","token":"some_token","type":"some_type","url":"https://example.com/base-repo-url/"}]'
    const headers = { 'Github-Public-Key-Identifier': id, 'Github-Public-Key-Signature': signature }
    const at = await start({ keys: [{ id, key }] })
    expect(await send({ method: 'POST', headers, body }, at)).toMatchObject({
      status: 200,
      body: [{ token_hash: sha256('some_token'), token_type: 'some_type', label: 'false_positive' }],
    })
    const spaced = JSON.stringify(JSON.parse(body), undefined, 1)
    expect(await send({ method: 'POST', headers, body: spaced }, at)).toMatchObject({ status: 401 })
  })

  it('a wrong signature, no signature, and the signature of another key change nothing', async () => {
    const key = await host.createApiKey()
    const body = JSON.stringify([match(key.client_secret)])
    const good = signedReport(body, scanner)
    const headers = good.headers as Record<string, string>
    const stranger = reporterKey('first')
    const wrong: Record<string, string | undefined>[] = [
      {
        ...headers,
        'Github-Public-Key-Signature': sign('sha256', Buffer.from(body), stranger.privateKey).toString(
          'base64',
        ),
      },
      { ...headers, 'Github-Public-Key-Signature': 'AAAA' },
      { 'Content-Type': 'application/json' },
      { 'Github-Public-Key-Identifier': 'first' },
    ]
    for (const each of wrong) {
      expect(await send({ ...good, headers: each as Record<string, string> })).toMatchObject({
        status: 401,
        body: { error: 'invalid_signature' },
      })
    }
    expect(await host.gatehouse.apiKeys.listSecrets(key.client_id)).toHaveLength(1)
  })

  it('the same report again, at once and after a rotation, changes nothing', async () => {
    const key = await host.createApiKey()
    const other = await start()
    const events: unknown[] = []
    for (const each of [host, other]) each.gatehouse.on('client.compromised', (event) => events.push(event))
    const first = await Promise.all(
      [host, other, host, other].map((at) => report([match(key.client_secret)], at)),
    )
    const answer = { status: 200, body: [{ label: 'true_positive' }] }
    expect(first).toMatchObject([answer, answer, answer, answer])
    expect(events).toHaveLength(1)
    const { clientSecret } = await host.gatehouse.apiKeys.rotateSecret(key.client_id)
    const { body } = await host.requestDirectToken({ ...key, client_secret: clientSecret })
    expect(await report([match(key.client_secret)])).toMatchObject(answer)
    expect(events).toHaveLength(1)
    expect((await host.call('GET /invoices/list', String(body['access_token']))).status).toBe(200)
    const { items } = await host.gatehouse.audit.list({ clientId: key.client_id })
    expect(items.filter(({ name }) => name === 'client.compromised')).toHaveLength(1)
  })

  it('reports with unknown key ids cause one fetch, and the keys that are known stay in use', async () => {
    await report([])
    const fetched = keyServer.requests.length
    const unknown = Array.from({ length: 50 }, (_, at) => ({ ...scanner, id: `unknown-${at}` }))
    for (let from = 0; from < unknown.length; from += 5) {
      const answers = await Promise.all(
        unknown.slice(from, from + 5).map((key) => send(signedReport('[]', key))),
      )
      expect(answers.every(({ status }) => status === 401)).toBe(true)
    }
    expect(keyServer.requests).toHaveLength(fetched)
    expect(await report([])).toMatchObject({ status: 200, body: [] })
  })

  it('a new key is fetched, with a conditional request at most once a minute, and a withdrawn key ends after an hour', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    await report([])
    const second = reporterKey('second')
    const withSecond = () => send(signedReport('[]', second))
    expect(await withSecond()).toMatchObject({ status: 401 })
    vi.advanceTimersByTime(61_000)
    expect(await withSecond()).toMatchObject({ status: 401 })
    expect(keyServer.answers).toEqual([200, 304])
    keyServer.keys = [scanner, second]
    expect(await withSecond()).toMatchObject({ status: 401 })
    vi.advanceTimersByTime(61_000)
    expect(await withSecond()).toMatchObject({ status: 200 })
    expect(keyServer.answers).toEqual([200, 304, 200])

    keyServer.keys = [second]
    keyServer.isDown = true
    vi.advanceTimersByTime(3_600_000)
    expect(await report([])).toMatchObject({ status: 200 })
    keyServer.isDown = false
    vi.advanceTimersByTime(61_000)
    expect(await report([])).toMatchObject({ status: 401 })
    expect(await withSecond()).toMatchObject({ status: 200 })
  })

  it('without keys a report gets 503, and the next one a minute later succeeds', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    keyServer.isDown = true
    const answer = await report([])
    expect(answer).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } })
    expect(answer.headers.get('retry-after')).toBe('60')
    keyServer.isDown = false
    vi.advanceTimersByTime(61_000)
    expect(await report([])).toMatchObject({ status: 200 })
  })

  it('of 1,000 secrets in one report, those that are ours are revoked', async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, () => host.createApiKey()))
    const secrets = Array.from({ length: 1000 }, (_, at) =>
      at % 100 === 7 ? keys[(at - 7) / 100]!.client_secret : newSecret(),
    )
    const { status, body } = await report(secrets.map((secret) => match(secret)))
    expect(status).toBe(200)
    const labels = (body as { label: string }[]).map(({ label }) => label)
    expect(labels.flatMap((label, at) => (label === 'true_positive' ? [at % 100] : []))).toEqual(
      Array(10).fill(7),
    )
    for (const key of keys) expect(await host.gatehouse.apiKeys.listSecrets(key.client_id)).toEqual([])
  })

  it('a report of 10 MB gets 413, and reports of another form get 400', async () => {
    const large = JSON.stringify([match('x'.repeat(10 * 1024 * 1024))])
    expect(await send(signedReport(large, scanner))).toMatchObject({ status: 413 })
    const unsized = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(large))
        controller.close()
      },
    })
    const streamed = { ...signedReport(large, scanner), body: unsized, duplex: 'half' as const }
    expect(await send(streamed)).toMatchObject({ status: 413 })
    for (const body of [
      '',
      '{}',
      '[1]',
      '[{"token":7,"type":"x"}]',
      '[{"token":"x"}]',
      '[{"token":"","type":"x"}]',
      '{',
    ]) {
      expect(await send(signedReport(body, scanner))).toMatchObject({
        status: 400,
        body: { error: 'invalid_request' },
      })
    }
    expect(
      await report([match('x', { source: 'somewhere new', url: null }), match('y', { url: '', source: 7 })]),
    ).toMatchObject({
      status: 200,
    })
  })

  it('while the store is away a report gets 503, and the scanner may send it again', async () => {
    const { store: faulty, goAway, comeBack } = faultyStore(store)
    const at = await start(undefined, faulty)
    await at.gatehouse.ready()
    const key = await host.createApiKey()
    goAway()
    expect(await report([match(key.client_secret)], at)).toMatchObject({ status: 503 })
    comeBack()
    await vi.waitFor(
      async () => {
        expect(await report([match(key.client_secret)], at)).toMatchObject({
          status: 200,
          body: [{ label: 'true_positive' }],
        })
      },
      { timeout: 20_000, interval: 500 },
    )
    expect(await host.gatehouse.apiKeys.listSecrets(key.client_id)).toEqual([])
  })

  it('long and strange places are cut, and never keep a secret valid', async () => {
    for (const place of [
      { url: `${'x'.repeat(999)}😀` },
      { source: `${'x'.repeat(99)}😀` },
      { source: 'İ'.repeat(100) },
      { url: `https://code.example/${'x'.repeat(2000)}` },
    ]) {
      const key = await host.createApiKey()
      expect(await report([match(key.client_secret, place)])).toMatchObject({ status: 200 })
      expect(await host.gatehouse.apiKeys.listSecrets(key.client_id)).toEqual([])
    }
  })

  it('no spelling of a secret gets into the audit trail', async () => {
    for (const spell of [
      (secret: string) => `https://code.example/${'x'.repeat(990)}${secret}`,
      (secret: string) => `https://code.example/${secret.replaceAll('_', '%5F')}`,
      (secret: string) =>
        `https://code.example/?q=${Array.from(secret, (c) => `%${c.codePointAt(0)!.toString(16)}`).join('')}`,
      (secret: string) => `https://code.example/${Array.from(secret).join('\u200b')}`,
    ]) {
      const key = await host.createApiKey()
      const secret = key.client_secret
      await report([match(secret, { url: spell(secret), source: secret })])
      const { items } = await host.gatehouse.audit.list({ clientId: key.client_id })
      expect(items[0]?.leakUrl).toMatch(/^https:\/\/code\.example/)
      const stored = decodeURIComponent(JSON.stringify(items)).replaceAll('\u200b', '').toLowerCase()
      expect(stored).not.toContain(secret.slice(10, 40).toLowerCase())
    }
  })

  it('a client whose record is corrupt does not protect the other secrets of a report', async () => {
    const [good, bad] = [await host.createApiKey(), await host.createApiKey()]
    await store.set(`client:${bad.client_id}`, 'not a record')
    const matches = [match(bad.client_secret), match(good.client_secret)]
    expect(await report(matches)).toMatchObject({ status: 503 })
    expect(await host.gatehouse.apiKeys.listSecrets(good.client_id)).toEqual([])
  })

  it('the host may check reports itself', async () => {
    const verify = vi.fn<(ctx: unknown, body: Uint8Array) => boolean>(() => true)
    const at = await start({ verify, path: '/scanner' })
    const key = await host.createApiKey()
    const body = JSON.stringify([match(key.client_secret)])
    const post = async () => (await fetch(`${at.origin}/scanner`, { method: 'POST', body })).status
    verify.mockReturnValueOnce(false)
    expect(await post()).toBe(401)
    verify.mockReturnValueOnce('yes' as never)
    expect(await post()).toBe(401)
    expect(await post()).toBe(200)
    expect(Buffer.from(verify.mock.lastCall?.[1] ?? []).toString()).toBe(body)
    expect(await host.gatehouse.apiKeys.listSecrets(key.client_id)).toEqual([])
  })

  it('a body parser of the host before the endpoint must keep the raw body', async () => {
    const readsBody = (keeps: boolean): Middleware =>
      async function parse(ctx, next) {
        const raw = await text(ctx.req)
        Object.assign(ctx.request, { body: JSON.parse(raw) as unknown }, keeps && { rawBody: raw })
        await next()
      }
    const key = await host.createApiKey()
    const lost = await start(undefined, undefined, [readsBody(false)])
    expect(await report([match(key.client_secret)], lost)).toMatchObject({ status: 503 })
    expect(await host.gatehouse.apiKeys.listSecrets(key.client_id)).toHaveLength(1)
    const kept = await start(undefined, undefined, [readsBody(true)])
    expect(await report([match(key.client_secret)], kept)).toMatchObject({ status: 200 })
    expect(await host.gatehouse.apiKeys.listSecrets(key.client_id)).toEqual([])
  })

  it('only a POST to the path itself is a report', async () => {
    expect(await send({ method: 'GET' })).toMatchObject({ status: 405 })
    expect((await send({ method: 'GET' })).headers.get('allow')).toBe('POST')
    expect((await fetch(`${host.origin}/leak-reports/x`)).status).toBe(200)
    expect(host.reached).toEqual(['GET /leak-reports/x'])
  })
})
