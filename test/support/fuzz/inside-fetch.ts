import type { Server } from 'node:http'
import type { Driver } from './driver.ts'

/** A `fetch` for the test browser that sends every request to one server of this process, at any address. */
export function createInsideFetch(driver: Driver, server: Server, address: string): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    const body = Buffer.from(await request.arrayBuffer())
    const lines = [`${request.method} ${url.pathname}${url.search} HTTP/1.1`, `Host: ${url.host}`]
    // `Request` drops the headers that only browsers may set.
    const headers = new Map([
      ...request.headers,
      ...Object.entries((init?.headers ?? {}) as Record<string, string>),
    ])
    for (const [name, value] of headers) if (value !== '') lines.push(`${name}: ${value}`)
    lines.push(`Content-Length: ${body.length}`, '', '')
    const bytes = Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), body])
    const { answers, received } = await driver.send(server, bytes, { address })
    const [answer] = answers
    if (!answer) throw new Error(`no answer to ${request.method} ${url.href}: ${received}`)
    const isEmpty = answer.status === 204 || answer.status === 304
    return new Response(isEmpty ? null : Buffer.from(answer.body, 'latin1'), {
      status: answer.status,
      headers: answer.headers.map(([name, value]): [string, string] => [name, value]),
    })
  }
}
