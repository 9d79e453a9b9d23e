import type { Context } from 'koa'

/**
 * Lets pages of all origins call the MCP server (CORS, Fetch 3.3), such as an assistant that runs in a browser. This is safe,
 * because the MCP server reads no cookies: a page without a token gets 401.
 */
export async function corsOfMcp(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  if (ctx.path !== '/mcp') return void (await next())
  ctx.set({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'WWW-Authenticate, Retry-After, Mcp-Session-Id',
  })
  if (ctx.method !== 'OPTIONS') return void (await next())
  ctx.set({
    'access-control-allow-methods': 'GET, POST, DELETE',
    // `*` does not include Authorization (Fetch 4.9).
    'access-control-allow-headers': 'Authorization, *',
    'access-control-max-age': '7200',
  })
  ctx.status = 204
}
