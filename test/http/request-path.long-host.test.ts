import type { Context } from 'koa'
import { expect, it } from 'vitest'
import { pathBelow, readTarget } from '../../src/http/request-path.ts'

const LONG = ['a'.repeat(300), 'a:1@'.repeat(100), encodeURIComponent('一'.repeat(100)), '['.repeat(300)]

it.each([
  '/auth/oauth2/token',
  '/x/../auth/oauth2/token',
  '/x/%2e%2e/auth/oauth2/token',
  String.raw`\auth\oauth2\token`,
  '?/auth/oauth2/token',
  '#/auth/oauth2/token',
  '',
])('a target in absolute form has the same path with a short and a long host: http://…%s', (rest) => {
  for (const start of ['http://', 'HTTPS://', String.raw`http:\\`, 'http:///', 'ws://', 'other://']) {
    const read = (host: string) => {
      const target = start + host + rest
      const context = { originalUrl: target, path: '/', req: {} } as unknown as Context
      const { readings, query } = readTarget(target)
      const paths = readings.map((path) => path.replaceAll(host, 'the host'))
      return [paths, query, pathBelow(context, '/auth')]
    }
    for (const host of LONG) expect([start, host, read(host)]).toEqual([start, host, read('example.com')])
  }
})
