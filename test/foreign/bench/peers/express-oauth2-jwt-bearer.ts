/**
 * Express with `express-oauth2-jwt-bearer`. The comparison is fair because `auth()` is set as its documentation shows, and
 * keeps the key in memory after the first request. It has no cache of tokens.
 */
import express from 'express'
import { auth } from 'express-oauth2-jwt-bearer'
import { options, servePeer } from '../../../../bench/peer.ts'

const { issuer, audience, jwksUri } = options
const app = express()
// Express prints no errors in this environment.
app.set('env', 'test')
app.use(auth({ issuer, audience, jwksUri, tokenSigningAlg: 'ES256' }))
app.get(['/api/items/list', '/api/items/:id'], (_, response) => void response.json({ ok: true }))
await servePeer(app)
