/**
 * `koa-jwt` with the keys of `jwks-rsa`. The comparison is fair because both are set as their documentation shows, with the
 * cache of keys and the rate limit of `koaJwtSecret`. It has no cache of tokens.
 */
import jwksRsa from 'jwks-rsa'
import Koa from 'koa'
import koaJwt from 'koa-jwt'
import { options, servePeer } from '../../../../bench/peer.ts'

const { issuer, audience, jwksUri } = options
const secret = jwksRsa.koaJwtSecret({ jwksUri, cache: true, rateLimit: true, jwksRequestsPerMinute: 5 })

const app = new Koa()
app.use(koaJwt({ secret, issuer, audience, algorithms: ['ES256'] }))
app.use((ctx) => void (ctx.body = { ok: true }))
const handle = app.callback()
await servePeer((request, response) => void handle(request, response))
