/**
 * A Koa app that checks nothing: the zero line. With `emptyMiddlewares`, it shows what a middleware costs that
 * only calls the next middleware. The comparison is fair because every candidate on Koa ends in the same response.
 */
import Koa from 'koa'
import { options, servePeer } from '../peer.ts'

const app = new Koa()
for (let count = 0; count < (options.emptyMiddlewares ?? 0); count += 1) app.use((_, next) => next())
app.use((ctx) => void (ctx.body = { ok: true }))
const handle = app.callback()
await servePeer((request, response) => void handle(request, response))
