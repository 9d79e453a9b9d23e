import { connect, type Socket } from 'node:net'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLeakReports } from '../../../src/leak-reports.ts'
import { startHost, type Host } from '../../support/host.ts'
import { match, reporterKey, signedReport, startKeyServer } from './reporter.ts'

describe('leak reports of strangers that never end', () => {
  const scanner = reporterKey('first')
  let keyServer: Awaited<ReturnType<typeof startKeyServer>>
  let host: Host

  beforeEach(async () => {
    keyServer = await startKeyServer([scanner])
    host = await startHost({
      store: memoryStore(),
      mount(app, gatehouse) {
        app.use(createLeakReports(gatehouse, { keysUrl: keyServer.url }))
        app.use(gatehouse.middleware())
      },
    })
  })
  afterEach(async () => {
    await host.close()
    await keyServer.close()
  })

  async function report(matches: readonly object[]): Promise<{ status: number }> {
    return fetch(`${host.origin}/leak-reports`, signedReport(JSON.stringify(matches), scanner))
  }

  /** Begins reports that never end. Resolves when all bytes are sent. */
  async function beginReports(count: number, bytes: number): Promise<Socket[]> {
    const head = `POST /leak-reports HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bytes + 1}\r\nGithub-Public-Key-Identifier: first\r\n\r\n`
    const sockets: Socket[] = []
    for (let at = 0; at < count; at += 1) {
      const socket = connect(host.port, '127.0.0.1').on('error', () => {})
      sockets.push(socket)
      await new Promise((resolve) => socket.write(head + '['.repeat(bytes), resolve))
    }
    return sockets
  }

  it('strangers who send sixteen slow reports do not keep out a signed one', async () => {
    await report([])
    const key = await host.createApiKey()
    const sockets = await beginReports(16, 1)
    expect(await report([match(key.client_secret)])).toMatchObject({ status: 200 })
    expect(await host.gatehouse.apiKeys.listSecrets(key.client_id)).toEqual([])
    expect(sockets.filter(({ destroyed }) => destroyed)).toEqual([])
    for (const socket of sockets) socket.destroy()
  })

  it('while more than 64 MB of reports arrive, the oldest of them ends, and a signed report is accepted', async () => {
    await report([])
    const sockets = await beginReports(9, 8 * 1024 * 1024 - 1)
    await vi.waitFor(() => expect(sockets[0]?.destroyed).toBe(true))
    expect(await report([])).toMatchObject({ status: 200 })
    expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(1)
    for (const socket of sockets) socket.destroy()
  })
})
