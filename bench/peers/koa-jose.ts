/**
 * Bare jose in Koa: the least code that verifies an access token by RFC 9068. The comparison is fair because the key is
 * imported once, and because it checks signature, type, issuer, audience and times. It knows no revocations and
 * no scopes, and it has no cache.
 */
import { importJWK, jwtVerify } from 'jose'
import Koa from 'koa'
import { options, servePeer } from '../peer.ts'
import { publicJwk } from '../tokens.ts'

const { issuer, audience } = options
const key = await importJWK(publicJwk(options.keys[0]), 'ES256')
const rules = { issuer, audience, algorithms: ['ES256'], typ: 'at+jwt' }

const app = new Koa()
app.use(async (ctx, next) => {
  const token = ctx.get('authorization').slice('Bearer '.length)
  ctx.state['auth'] = await jwtVerify(token, key, rules).catch(() => ctx.throw(401))
  return next()
})
app.use((ctx) => void (ctx.body = { ok: true }))
const handle = app.callback()
await servePeer((request, response) => void handle(request, response))
