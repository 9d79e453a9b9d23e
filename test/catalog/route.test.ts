import { describe, expect, it } from 'vitest'
import { parseRoute } from '../../src/catalog/route.ts'

describe('parseRoute', () => {
  it.each([
    ['GET /', 'GET', []],
    ['GET /invoices/:id', 'GET', [{ literal: 'invoices' }, { parameter: 'id' }]],
    ['PATCH /Invoices/List', 'PATCH', [{ literal: 'Invoices' }, { literal: 'List' }]],
    ['DELETE /a%20b/%3Ac', 'DELETE', [{ literal: 'a b' }, { literal: ':c' }]],
    ['PUT /caf%C3%A9', 'PUT', [{ literal: 'café' }]],
    ['POST /café/…', 'POST', [{ literal: 'café' }, { literal: '…' }]],
    ['GET /v1.0/@me/$batch', 'GET', [{ literal: 'v1.0' }, { literal: '@me' }, { literal: '$batch' }]],
  ])('parseRoute parses %s', (text, method, segments) => {
    expect(parseRoute(text)).toEqual({ method, path: text.slice(text.indexOf('/')), segments })
  })

  it('parseRoute reports the problem of an invalid route', () => {
    const invalid: [unknown, string][] = [
      [undefined, 'must be a text'],
      ['', 'one space and a path'],
      ['GET', 'one space and a path'],
      ['/invoices', 'one space and a path'],
      ['GET  /invoices', 'one space and a path'],
      ['GTE /invoices', 'unknown method'],
      ['get /invoices', 'unknown method'],
      ['OPTIONS /invoices', 'unknown method'],
      ['HEAD /invoices', 'HEAD is answered by the GET'],
      ['GET invoices', 'does not start with /'],
      ['GET https://example.com/a', 'does not start with /'],
      ['GET /invoices?all=1', 'without query or fragment'],
      ['GET /invoices#all', 'without query or fragment'],
      ['GET /invoices/', 'trailing slash'],
      ['GET //invoices', 'empty segment'],
      ['GET /a//b', 'empty segment'],
      ['GET /a/../b', 'segment ..'],
      ['GET /./b', 'segment .'],
      ['GET /a/%2e%2E/b', 'write it as .'],
      ['GET /%61dmin', 'write it as a (RFC 3986 2.3)'],
      ['GET /a%2Fb', 'encoded slash'],
      ['GET /a%5cb', 'encoded slashes, backslashes'],
      ['GET /a%00', 'control character'],
      ['GET /a%7F', 'control character'],
      ['GET /a%ff', 'not UTF-8'],
      ['GET /a%2', 'percent-encoded'],
      ['GET /files/*', 'wildcards'],
      ['GET /files/(.*)', 'wildcards'],
      ['GET /files{/:id}', 'wildcards'],
      ['GET /a\\b', 'percent-encoded'],
      ['GET /a;b', 'percent-encoded'],
      ['GET /a b', 'percent-encoded'],
      ['GET /a\tb', 'percent-encoded'],
      ['GET /a\nb', 'percent-encoded'],
      ['GET /:', 'a parameter is a whole segment'],
      ['GET /:1', 'a parameter is a whole segment'],
      ['GET /:id.json', 'a parameter is a whole segment'],
      ['GET /:id?', 'without query'],
      ['GET /:id+', 'a parameter is a whole segment'],
      ['GET /:id(\\d+)', 'a parameter is a whole segment'],
      ['GET /:a:b', 'a parameter is a whole segment'],
      ['GET /batch:get', 'percent-encoded'],
      ['GET /:id/lines/:id', 'the parameter :id twice'],
    ]
    for (const [text, message] of invalid) {
      expect(parseRoute(text), JSON.stringify(text)).toEqual(expect.stringContaining(message))
    }
  })
})
