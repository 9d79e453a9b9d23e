import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { auth, type AuthResult } from 'express-oauth2-jwt-bearer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, startHost, type Host } from '../support/host.ts'

/**
 * Starts a resource server as in the library's documentation. It is configured with the issuer and the
 * audience only.
 */
async function startResourceServer({ issuer, audience }: Host) {
  const app = express()
  app.use(auth({ issuerBaseURL: issuer, audience }))
  app.use((request, response) => {
    // The MCP SDK, which other tests use, declares `request.auth` too.
    const { payload } = request.auth as unknown as AuthResult
    response.json({ sub: payload.sub })
  })
  app.use(((error, _request, response, _next) => {
    const { status, code } = error as { status: number; code?: string }
    response.status(status).json({ code })
  }) as express.ErrorRequestHandler)
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  return {
    async call(token: string) {
      const response = await fetch(`http://localhost:${port}/`, {
        headers: { authorization: `Bearer ${token}` },
      })
      return { status: response.status, body: await response.json() }
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

describe('express-oauth2-jwt-bearer', () => {
  let host: Host
  let api: Awaited<ReturnType<typeof startResourceServer>>
  beforeAll(async () => {
    host = await startHost()
    await host.gatehouse.ready()
    api = await startResourceServer(host)
  })
  afterAll(async () => {
    await api.close()
    await host.close()
  })

  it('express-oauth2-jwt-bearer needs only the issuer and the audience to accept access tokens', async () => {
    const key = await host.createApiKey()
    const direct = await host.requestDirectToken(key)
    expect(await api.call(String(direct.body['access_token']))).toEqual({
      status: 200,
      body: { sub: key.client_id },
    })
    const delegated = await connect(host, await host.createApplication())
    expect(await api.call(delegated.access_token)).toEqual({ status: 200, body: { sub: 'alice' } })
  })

  it('express-oauth2-jwt-bearer rejects an access token with a changed signature', async () => {
    const key = await host.createApiKey()
    const { body } = await host.requestDirectToken(key)
    const token = String(body['access_token'])
    const changed = token.slice(0, -10) + (token.at(-10) === 'A' ? 'B' : 'A') + token.slice(-9)
    expect(await api.call(changed)).toEqual({ status: 401, body: { code: 'invalid_token' } })
  })
})
