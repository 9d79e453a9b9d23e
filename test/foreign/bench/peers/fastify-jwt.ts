/**
 * Fastify with `@fastify/jwt` and its cache of verified tokens. The comparison is fair because the cache has room for all
 * tokens, and the hook is the one of its documentation. Its tokens are signed with HMAC (HS256), as its
 * documentation shows, so the signature costs less, and everybody who can verify a token can also sign one.
 */
import jwt from '@fastify/jwt'
import Fastify from 'fastify'
import { answerBench, options } from '../../../../bench/peer.ts'

const { issuer, audience, hmacSecret, port } = options
const app = Fastify()
await app.register(jwt, {
  secret: hmacSecret,
  verify: { cache: 100_000, allowedIss: issuer, allowedAud: audience },
})
app.addHook('onRequest', async (request) => void (await request.jwtVerify()))
app.get('/api/items/list', async () => ({ ok: true }))
app.get('/api/items/:id', async () => ({ ok: true }))
await app.listen({ port, host: '127.0.0.1' })
answerBench({ close: () => app.close() })
