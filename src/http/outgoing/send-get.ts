import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { rejected } from './outgoing-problem.ts'

/** Maximum number of bytes of all headers of a response. */
const MAX_HEADER_BYTES = 16_384

/** Maximum number of interim responses (1xx, RFC 9110 15.2) before the response. */
const MAX_INTERIM_RESPONSES = 10

/**
 * Sends a GET request over a connection, and waits for the headers of the response. The request has no cookies and no
 * credentials, and redirects are not followed. If
 * the promise rejects, the caller destroys the connection.
 *
 * @throws the error of the connection or of the HTTP parser, or an `OutgoingProblem`
 */
export function sendGet(connection: Duplex, url: URL): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing: ClientRequest = request({
      // With `createConnection`, Node uses no agent, and so neither keep-alive nor a proxy.
      createConnection: () => connection,
      method: 'GET',
      path: url.pathname + url.search,
      setHost: false,
      headers: {
        Host: url.host,
        Accept: 'application/json',
        'Accept-Encoding': 'identity',
        'User-Agent': 'koa-gatehouse',
        Connection: 'close',
      },
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
    })
    let interim = 0
    outgoing.on('information', () => {
      interim += 1
      if (interim > MAX_INTERIM_RESPONSES) reject(rejected('the host sends too many interim responses'))
    })
    outgoing.on('upgrade', () => reject(rejected('the host answered with status 101 instead of 200')))
    outgoing.on('response', resolve)
    // After the response has arrived, the promise is resolved, and this only ignores late errors.
    outgoing.on('error', reject)
    outgoing.end()
  })
}
