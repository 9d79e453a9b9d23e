import type { Context } from 'koa'
import { etagsOf, IF_MATCH } from '../../clients/client-etag.ts'
import { enter, isCsrfTokenExpired, requireOwnPage, type FrontDoorParts } from '../front-door/access.ts'
import { createMatch, type Match } from '../front-door/match.ts'
import { Rejection } from '../front-door/rejection.ts'
import { hasTooManyParameters } from '../../http/query-limit.ts'
import { valueOf } from '../../validation/rules.ts'
import { readJsonBody, readQuery, requireJson } from './read-body-and-query.ts'
import type { Call, Route } from './route.ts'
import { ANSWERS } from './answer-schemas.ts'

/** Answers a request by the table of routes, after all checks in order. It throws if the request is rejected. */
export function createRouteHandler(routes: readonly Route[], parts: FrontDoorParts) {
  const match = createMatch(routes, ({ path, method }) => ({
    path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    methods: [method],
  }))

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
  // The handler of a public route reads nothing else.
  if (access === 'public') return { ctx } as Call
  const visit = await enter({ ...found, access }, parts, ctx, params)
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
    // Another site can make a browser send a session cookie, but not an access token.
    if (visit.caller.isSession) {
      requireOwnPage(visit, 'management', parts)
      if (isCsrfTokenExpired(visit, ctx.get('X-CSRF-Token'), parts)) throw new Rejection('csrfExpired')
    }
    requireJson(ctx)
  }
  const tags = etagsOf(ctx.get('If-Match'))
  if (tags && !isConditional) throw new Rejection('unconditional')
  const input = {
    query: query && readQuery(ctx, query),
    body: body && (await readJsonBody(ctx, body, rules)),
  }
  const call = { ...visit, ...input, change: { ...visit.change, ...(tags && { [IF_MATCH]: tags }) } }
  await check?.(call)
  // The host is asked last, so that no caller signs in again for a request that another check rejects.
  const noPage = { base: parts.issuerOrigin, returnTo: undefined }
  const url = confirms && (await parts.accounts.confirm?.(ctx, confirms, noPage))
  if (url) throw new Rejection('confirm', { needs: confirms, confirmUrl: url.href })
  return call
}
