import type { Context } from 'koa'
import { IF_MATCH } from '../clients/if-match.ts'
import { enter, isCsrfTokenExpired, requireOwnPage, type FrontDoorParts } from '../front-door/enter.ts'
import { createMatch, type Match } from '../front-door/match.ts'
import { Rejection } from '../front-door/rejection.ts'
import { hasTooManyParameters } from '../http/query-limit.ts'
import { readBody, requireJson } from './read-body.ts'
import type { Call, Route } from './route.ts'
import * as v from 'valibot'
import { formatPath } from '../errors.ts'
import { codeOfIssue } from './issue-code.ts'

/** Creates a function that answers a request by the table of routes. It throws if the request is rejected. */
export function createDispatch(routes: readonly Route[], parts: FrontDoorParts) {
  const match = createMatch(routes, ({ path, method }) => ({
    path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    methods: [method],
  }))

  /** @param path the path below the mount path */
  return async function dispatch(ctx: Context, path: string): Promise<void> {
    if (hasTooManyParameters(ctx)) throw new Rejection('query')
    const matched = await match(ctx, path)
    const { handle, status } = matched.found
    const result = await handle(await callOf(matched, parts, ctx))
    ctx.status = status
    if (status === 204) return
    ctx.type = 'application/json'
    ctx.body = JSON.stringify(result)
  }
}

/** The methods that change nothing. */
const SAFE_METHODS = ['GET', 'HEAD']

async function callOf({ found, params }: Match<Route>, parts: FrontDoorParts, ctx: Context): Promise<Call> {
  const { access, query, body, isConditional } = found
  if (access === 'public') return publicCall(ctx)
  const visit = await enter({ ...found, access }, parts, ctx, params)
  if (!SAFE_METHODS.includes(ctx.method)) {
    // A browser never sends the credentials of a caller without a session by itself.
    if (visit.caller.isSession) {
      requireOwnPage(visit, 'management', parts)
      if (isCsrfTokenExpired(visit, ctx.get('X-CSRF-Token'), parts)) throw new Rejection('csrfExpired')
    }
    requireJson(ctx)
  }
  const tags = etagsOf(ctx)
  if (tags && !isConditional) throw new Rejection('unconditional')
  return {
    ...visit,
    query: query && checkBySchema('query', query, withNumbers(ctx.query)),
    body: body && checkBySchema('body', body, await readBody(ctx)),
    change: { ...visit.change, ...(tags && { [IF_MATCH]: tags }) },
  }
}

function publicCall(ctx: Context): Call {
  const caller = { accountId: '', actor: '', isSession: false }
  const unknown = { isOperator: async () => false, may: async () => false }
  return {
    ctx,
    caller,
    params: {},
    query: undefined,
    body: undefined,
    resource: undefined,
    change: {},
    ...unknown,
  }
}

/** The ETags of `If-Match` (RFC 9110 13.1.1); undefined if any client will do. */
function etagsOf(ctx: Context): string[] | undefined {
  const header = ctx.get('If-Match')
  if (header === '' || header.trim() === '*') return undefined
  return header.split(',').map((tag) => tag.trim())
}

/** Queries have texts only. A text of digits becomes a number where the API has numbers. */
function withNumbers(query: Context['query']): Record<string, unknown> {
  const { limit, ...others } = query
  if (limit === undefined) return others
  return { ...others, limit: typeof limit === 'string' && /^\d{1,9}$/.test(limit) ? Number(limit) : limit }
}

/** Maximum number of problems in an answer, because a person has to read them. */
const MAX_PROBLEMS = 100

/**
 * Checks a part of a request by its schema. The services check the values further.
 *
 * @param what the part of the request
 * @throws {Rejection} `input` with all problems, each with its path
 */
function checkBySchema<const Schema extends v.GenericSchema>(
  what: 'body' | 'query',
  schema: Schema,
  input: unknown,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, input)
  if (parsed.success) return parsed.output
  const problems = parsed.issues.slice(0, MAX_PROBLEMS).map((issue) => ({
    path: formatPath((issue.path ?? []).map(({ key }) => key as string | number)) || what,
    ...codeOfIssue(issue),
    message: messageOf(issue),
  }))
  throw new Rejection('input', { part: what, problems })
}

/** Says what is wrong, and never quotes a value, which may be a secret. */
function messageOf(issue: { expected: string | null; received: string; type: string; message: string }) {
  const { expected, received, type } = issue
  if (type === 'strict_object' && expected === 'never') return 'is unknown here'
  if (type.endsWith('object') && received === 'undefined') return 'is required'
  if (expected === null) return issue.message
  return `must be ${expected}`
}
