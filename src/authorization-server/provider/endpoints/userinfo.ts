import { mayContainSecret } from '../../../clients/secret-format.ts'
import type { Cors } from '../features/cors.ts'
import type { FixResponse, ProviderResponse } from '../fix-responses.ts'
import { recordOf } from '../request-state.ts'

// The user info endpoint (OpenID Connect Core 5.3).

/** Corrects the responses of the endpoint, which pages of public applications (`cors`) may read. */
export function createFixUserInfoResponse(cors: Cors | undefined): FixResponse {
  return async function fixUserInfo(ctx) {
    fixUserInfoResponse(ctx)
    const origin = ctx.get('Origin')
    if (origin === '' || !cors || ctx.response.get('Access-Control-Allow-Origin')) return
    const client = ctx.oidc.client && recordOf(ctx.oidc.client, ctx)
    if (!(await cors.mayReadUserInfo(origin, client))) return
    ctx.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': 'WWW-Authenticate' })
  }
}

/** RFC 6750 3.1: no error code without a token. `scope` must not quote a client secret. */
function fixUserInfoResponse(ctx: ProviderResponse): void {
  const challenge = ctx.response.get('WWW-Authenticate')
  const [attribute = '', missing = ''] = /, scope="([^"]*)"/.exec(challenge) ?? []
  if (missing.split(' ').some(mayContainSecret)) ctx.set('WWW-Authenticate', challenge.replace(attribute, ''))
  if (ctx.status !== 401 || challenge.includes('error=')) return
  ctx.body = {
    error_description: 'send an access token in the header Authorization: Bearer <ACCESS_TOKEN>',
  }
}
