import { connect } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Koa, { type Middleware } from 'koa'
import { bodyParser } from '@koa/bodyparser'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { isRejection, readForm } from '../../src/http/form-body.ts'

const FORM = 'application/x-www-form-urlencoded'

/** Creates an app that answers with the fields `a` and `list` of a form, or with the status of an error. */
function app(...above: Middleware[]) {
  const koa = new Koa()
  for (const middleware of above) koa.use(middleware)
  koa.use(async (ctx) => {
    const form = await readForm(ctx)
    if (isRejection(form)) ctx.status = form.status
    else ctx.body = { a: form.get('a') ?? null, list: form.getAll('list') }
  })
  return koa
}

const send = (koa: Koa, body: string, type = FORM) =>
  request(koa.callback()).post('/').set('Content-Type', type).send(body)

const parsedAs =
  (place: 'ctx.request.body' | 'ctx.req.body' | 'rawBody', body: unknown): Middleware =>
  async (ctx, next) => {
    ctx.req.resume()
    await once(ctx.req, 'end')
    if (place === 'ctx.request.body') (ctx.request as { body?: unknown }).body = body
    else if (place === 'rawBody') (ctx.request as { rawBody?: unknown }).rawBody = body
    else (ctx.req as { body?: unknown }).body = body
    await next()
  }

describe('readForm', () => {
  it('readForm decodes the fields of a form', async () => {
    const { body } = await send(app(), 'a=1+%26+%C3%A4&list=x&list=y', `${FORM}; charset=utf-8`)
    expect(body).toEqual({ a: '1 & ä', list: ['x', 'y'] })
  })

  it('get() of a form returns no value for a field that was sent twice', async () => {
    expect((await send(app(), 'a=1&a=2')).body).toEqual({ a: null, list: [] })
    expect((await send(app(), '')).body).toEqual({ a: null, list: [] })
    expect((await send(app(), '__proto__=1&constructor=2&a=ok')).body).toEqual({ a: 'ok', list: [] })
  })

  it('readForm rejects another content type and a compressed body with 415', async () => {
    for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain', 'form']) {
      expect((await send(app(), '{"a":"1"}', type)).status).toBe(415)
    }
    expect((await send(app(), 'a=1').set('Content-Encoding', 'gzip')).status).toBe(415)
  })

  it('readForm reads 56 KiB, and rejects one byte more with 413', async () => {
    expect((await send(app(), `a=${'x'.repeat(57_342)}`)).status).toBe(200)
    expect((await send(app(), `a=${'x'.repeat(57_343)}`)).status).toBe(413)
    expect((await send(app(), `a=${'x'.repeat(1_000_000)}`)).status).toBe(413)
  })

  it('readForm rejects a chunked body that is too long with 413', async () => {
    const server = app().listen(0)
    const socket = connect((server.address() as AddressInfo).port)
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM}\r\nTransfer-Encoding: chunked\r\n\r\n`)
    const piece = 'x'.repeat(32_768)
    for (let sent = 0; sent < 3; sent += 1) socket.write(`8000\r\n${piece}\r\n`)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1.1 413 /)
    socket.destroy()
    server.close()
  })

  describe('readForm after a body parser', () => {
    it('readForm uses the result of the body parser of Koa', async () => {
      const { body } = await send(app(bodyParser()), 'a=1&list=x&list=y')
      expect(body).toEqual({ a: '1', list: ['x', 'y'] })
    })

    it('readForm reads a repeated field that the body parser of Koa stores as an object', async () => {
      const values = Array.from({ length: 60 }, (_, index) => `s${index}`)
      const { body } = await send(app(bodyParser()), values.map((value) => `list=${value}`).join('&'))
      expect(body).toEqual({ a: null, list: values })
    })

    it('readForm reads the fields wherever a body parser has set them', async () => {
      for (const [place, parsed] of [
        ['ctx.request.body', { a: '1', list: ['x', 'y'] }],
        ['ctx.request.body', { a: '1', list: { 0: 'x', 1: 'y' } }],
        ['ctx.req.body', { a: '1', list: ['x', 'y'] }],
        ['ctx.request.body', 'a=1&list=x&list=y'],
        ['rawBody', 'a=1&list=x&list=y'],
        ['ctx.request.body', Buffer.from('a=1&list=x&list=y')],
      ] as const) {
        const { body } = await send(app(parsedAs(place, parsed)), 'a=1')
        expect([place, body]).toEqual([place, { a: '1', list: ['x', 'y'] }])
      }
    })

    it('readForm rejects a parsed body that is not a form, and a body that was read and is lost', async () => {
      for (const [parsed, status] of [
        [{ a: { b: { c: 'deep' } } }, 400],
        [{ a: 1 }, 400],
        [{ a: null }, 400],
        ['x'.repeat(70_000), 413],
        [undefined, 400],
      ] as const) {
        expect((await send(app(parsedAs('ctx.request.body', parsed)), 'a=1')).status).toBe(status)
      }
    })
  })

  it('readForm answers 400 when the sender disconnects before the end of the body', async () => {
    const koa = new Koa()
    koa.silent = true
    const result = new Promise((resolve) => koa.use(async (ctx) => resolve(await readForm(ctx))))
    const server = koa.listen(0)
    const socket = connect((server.address() as AddressInfo).port)
    server.once('request', () => setTimeout(() => socket.destroy(), 20))
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM}\r\nContent-Length: 100\r\n\r\na=1`)
    expect(await result).toEqual({ status: 400 })
    server.close()
  })
})
