import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A key pair of a scanner. */
export function reporterKey(id: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { id, key: publicKey.export({ type: 'spki', format: 'pem' }).toString(), privateKey }
}

/** A report as a scanner sends it. */
export function signedReport(
  body: string,
  { id, privateKey }: { readonly id: string; readonly privateKey: KeyObject },
): RequestInit {
  return {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Github-Public-Key-Identifier': id,
      'Github-Public-Key-Signature': sign('sha256', Buffer.from(body), privateKey).toString('base64'),
    },
    body,
  }
}

/** One secret in a report. */
export function match(token: string, others: object = {}) {
  return {
    token,
    type: 'example_key',
    url: 'https://code.example/acme/blob/main/.env',
    source: 'commit',
    ...others,
  }
}

/** A server with the public keys of a scanner. It answers conditional requests. */
export async function startKeyServer(keys: readonly { readonly id: string; readonly key: string }[]) {
  const state = { keys, isDown: false, requests: [] as (string | undefined)[], answers: [] as number[] }
  const server = createServer((request, response) => {
    state.requests.push(request.headers['if-none-match'])
    const body = JSON.stringify({
      public_keys: state.keys.map(({ id, key }) => ({ key_identifier: id, key, is_current: true })),
    })
    const etag = `"${createHash('sha256').update(body).digest('hex')}"`
    const status = state.isDown ? 500 : request.headers['if-none-match'] === etag ? 304 : 200
    state.answers.push(status)
    response.writeHead(status, { 'Content-Type': 'application/json', ETag: etag })
    response.end(status === 200 ? body : undefined)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}/meta/public_keys/secret_scanning`,
    close: () => new Promise((resolve) => server.close(resolve)),
  })
}
