import { once } from 'node:events'
import { afterEach, expect, it, vi } from 'vitest'
import { internet, resolveWith } from '../../../src/http/outgoing/connections.ts'
import { startDocumentHost } from '../../support/document-host.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** A resolver with these answers; an error code is an error of DNS. */
const resolver = (ipv4: string[] | string, ipv6: string[] | string) => {
  const answer = (found: string[] | string) => async () => {
    if (typeof found === 'string') throw Object.assign(new Error(found), { code: found })
    return found
  }
  return { resolve4: answer(ipv4), resolve6: answer(ipv6) } as unknown as Parameters<typeof resolveWith>[0]
}

it('a name has its IPv4 and its IPv6 addresses, in the order in which this machine can reach them', async () => {
  const both = resolver(['93.184.216.34', '93.184.216.35'], ['2606:2800::1'])
  const ipv4 = [
    { address: '93.184.216.34', family: 4 },
    { address: '93.184.216.35', family: 4 },
  ]
  const ipv6 = [{ address: '2606:2800::1', family: 6 }]
  expect(await resolveWith(both, 'app.example.com', true)).toEqual([...ipv4, ...ipv6])
  expect(await resolveWith(both, 'app.example.com', false)).toEqual([...ipv6, ...ipv4])
})

it('a name without addresses of one family has those of the other, and none if both queries fail', async () => {
  expect(await resolveWith(resolver(['93.184.216.34'], 'ENODATA'), 'a.example')).toHaveLength(1)
  expect(await resolveWith(resolver('ETIMEOUT', ['2606:2800::1']), 'a.example')).toHaveLength(1)
  expect(await resolveWith(resolver('ENOTFOUND', 'ENODATA'), 'a.example')).toEqual([])
})

it('an unknown certificate authority is not accepted, also if the environment switches the checks off', async () => {
  vi.spyOn(process, 'emitWarning').mockReturnValue()
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  const host = await startDocumentHost(['app.example.com'])
  try {
    const { port } = host
    const socket = internet.connect({ address: '127.0.0.1', family: 4, port, servername: 'app.example.com' })
    const connected = vi.fn()
    socket.on('secureConnect', connected)
    const [error] = await once(socket, 'close').then(
      () => [undefined],
      (error: unknown) => [error],
    )
    expect(error).toMatchObject({ code: expect.stringMatching(/VERIFY|CERT/) })
    expect(connected).not.toHaveBeenCalled()
    expect(host.requests).toEqual([])
  } finally {
    await host.close()
  }
})
