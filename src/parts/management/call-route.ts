import type { Context } from 'koa'
import { etagsOf, IF_MATCH } from '../../clients/client-etag.ts'
import { enter, type FrontDoorParts } from '../front-door/access.ts'
import { isCsrfTokenExpired, needsCsrfToken, requireOwnPage } from '../front-door/access.ts'
import { createMatch, type Match } from '../front-door/match.ts'
import { Rejection } from '../front-door/rejection.ts'
import { hasTooManyParameters } from '../../http/query-limit.ts'
import { valueOf } from '../../validation/rules.ts'
import { readBody, readQuery, requireJson } from './read-input.ts'
import type { Call, Route } from './route.ts'
import { ANSWERS } from './answer-schemas.ts'

/** Creates a function that answers a request by the table of routes. It throws if the request is rejected. */
export function createRouteHandler(routes: readonly Route[], parts: FrontDoorParts) {
  const match = createMatch(routes, ({ path, method }) => ({
    path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    methods: [method],
  }))

  /** @param path the path below the mount path */
  return async function callRoute(ctx: Context, path: string): Promise<void> {
    if (hasTooManyParameters(ctx)) throw new Rejection('query')
    const matched = await match(ctx, path)
    const { handle, status, answer } = matched.found
    const result = await handle(await callOf(matched, parts, ctx))
    ctx.status = status
    if (status === 204) return
    ctx.type = 'application/json'
    ctx.body = JSON.stringify(answer ? valueOf<unknown>(ANSWERS[answer], result) : result)
  }
}

async function callOf({ found, params }: Match<Route>, parts: FrontDoorParts, ctx: Context): Promise<Call> {
  const { access, query, body, rules, check, isConditional, confirms } = found
  if (access === 'public') return { ...BY_NOBODY, ctx }
  const visit = await enter({ ...found, access }, parts, ctx, params)
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
    if (needsCsrfToken(visit)) {
      requireOwnPage(visit, 'management', parts)
      if (isCsrfTokenExpired(visit, ctx.get('X-CSRF-Token'), parts)) throw new Rejection('csrfExpired')
    }
    requireJson(ctx)
  }
  const tags = etagsOf(ctx.get('If-Match'))
  if (tags && !isConditional) throw new Rejection('unconditional')
  const input = { query: query && readQuery(ctx, query), body: body && (await readBody(ctx, body, rules)) }
  const call = { ...visit, ...input, change: { ...visit.change, ...(tags && { [IF_MATCH]: tags }) } }
  await check?.(call)
  // The host is asked last, so that no caller signs in again for a request that another check rejects.
  const noPage = { base: parts.issuerOrigin, returnTo: undefined }
  const url = confirms && (await parts.accounts.confirm?.(ctx, confirms, noPage))
  if (url) throw new Rejection('confirm', { needs: confirms, confirmUrl: url.href })
  return call
}

/** The call of a public route, which needs no caller. */
const BY_NOBODY: Omit<Call, 'ctx'> = {
  caller: { accountId: '', actor: '', isSession: false },
  params: {},
  query: undefined,
  body: undefined,
  resource: undefined,
  change: {},
  isOperator: async () => false,
  lacks: async (needs) => ({ needs }),
  may: async () => false,
}
