/**
 * The limit of every token endpoint: `node:http` that reads the form and makes one signature with ES256. It is a fair
 * limit because each access token needs one signature. It checks no client and stores nothing.
 */
import { webcrypto } from 'node:crypto'
import { options, servePeer } from '../peer.ts'

const { issuer, audience } = options
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const [jwk = {}] = options.keys
const key = await webcrypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign'])
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = encode({ alg: 'ES256', kid: jwk.kid, typ: 'at+jwt' })

async function sign(clientId: string): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  const claims = { iss: issuer, aud: audience, sub: clientId, client_id: clientId, iat, exp: iat + 3600 }
  const input = `${header}.${encode({ ...claims, jti: webcrypto.randomUUID() })}`
  const signature = await webcrypto.subtle.sign(algorithm, key, Buffer.from(input))
  return `${input}.${Buffer.from(signature).toString('base64url')}`
}

await servePeer(
  (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const clientId = new URLSearchParams(Buffer.concat(chunks).toString()).get('client_id') ?? ''
      void sign(clientId).then((token) => {
        response.setHeader('Content-Type', 'application/json; charset=utf-8')
        response.end(JSON.stringify({ access_token: token, expires_in: 3600, token_type: 'Bearer' }))
      })
    })
  },
  {
    forms: () =>
      Array.from(
        { length: options.clients ?? 0 },
        (_, index) => `grant_type=client_credentials&client_id=key_${index}&client_secret=unchecked`,
      ),
  },
)
