import findMyWay from 'find-my-way'
import Koa from 'koa'
import { expect, it } from 'vitest'
import { createTestGateway, serveRaw } from '../gateway/support/api.ts'
import { TARGETS } from '../gateway/support/hostile-paths.ts'

it('without a token, no hostile path reaches a host that routes by find-my-way', async () => {
  const { gateway } = await createTestGateway()
  const router = findMyWay({ caseSensitive: false, ignoreDuplicateSlashes: true })
  for (const method of ['GET', 'POST'] as const) router.on(method, '/api/*', () => {})
  const reached: string[] = []
  const app = new Koa()
  app.silent = true
  app.use(gateway.middleware())
  app.use((ctx, next) => {
    if (!router.find(ctx.method as 'GET', ctx.url)) return next()
    return void reached.push(`${ctx.method} ${ctx.url}`)
  })
  const server = await serveRaw(app)
  for (const target of TARGETS) {
    for (const method of ['GET', 'POST']) {
      const { status } = await server.send(
        `${method} ${target} HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n`,
      )
      expect([400, 401, 404], `${method} ${target}`).toContain(status)
    }
  }
  expect(reached).toEqual([])
  await server.close()
})
