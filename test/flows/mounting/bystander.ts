import type { Context, Next } from 'koa'

/**
 * Makes a middleware for a host. It runs around all other middleware of the host. Before the other middleware
 * runs, it sets values on the context, as any app does. After the other middleware has run, it reads the
 * values again. `changes` lists each value that the other middleware changed.
 *
 * @param options.isSigned whether the middleware signs its cookie with the keys of the app
 */
export function bystander({ isSigned = true } = {}) {
  const seen: string[] = []
  const changes: string[] = []

  async function middleware(ctx: Context, next: Next): Promise<void> {
    ctx.state['tenant'] = 'harbour'
    ctx['params'] = { mine: 'yes' }
    ctx.cookies.set('harbour', 'yes', { signed: isSigned })
    const before = snapshot(ctx)
    const target = `${ctx.method} ${ctx.url}`
    await next()
    seen.push(target)
    const after = snapshot(ctx)
    for (const name of Object.keys(before)) {
      if (before[name] !== after[name]) changes.push(`${target}: ${name} is ${String(after[name])}`)
    }
    const state = Object.keys(ctx.state).filter((name) => name !== 'tenant' && name !== 'auth')
    if (state.length > 0) changes.push(`${target}: ctx.state has ${state.join()}`)
    // Middleware for ETags and compression reads `ctx.body` at this point, so the body must be set.
    if (ctx.status === 200 && ctx.method !== 'HEAD' && (ctx.body ?? null) === null)
      changes.push(`${target}: no ctx.body`)
    if (ctx.respond === false) changes.push(`${target}: ctx.respond is off`)
    if (ctx.headerSent) changes.push(`${target}: the response was already sent`)
    const setCookie = [ctx.response.get('set-cookie')].flat().join('\n')
    if (!setCookie.includes('harbour=yes')) changes.push(`${target}: the host's cookie is lost`)
  }

  return { middleware, seen, changes }
}

function snapshot(ctx: Context): Record<string, unknown> {
  const { req, request, response, app, path, url, originalUrl, search, method, host, state, cookies } = ctx
  return {
    req,
    request,
    response,
    app,
    keys: app.keys,
    path,
    url,
    originalUrl,
    search,
    method,
    host,
    state,
    cookies,
    tenant: state['tenant'],
    params: JSON.stringify(ctx['params']),
    body: (request as { body?: unknown }).body,
    rawUrl: req.url,
    rawBody: (req as { body?: unknown }).body,
    oidc: (ctx as { oidc?: unknown }).oidc,
  }
}
