import { bodyParser } from '@koa/bodyparser'
import type { Context } from 'koa'
import { Rejection } from '../front-door/rejection.ts'
import { isObject } from '../../validation/predicates.ts'
import {
  findProblems,
  MAX_PROBLEMS,
  problemsOf,
  valueOf,
  type Fields,
  type Rule,
} from '../../validation/rules.ts'

export const MAX_JSON_BODY_BYTES = 64 * 1024

const parse = bodyParser({
  enableTypes: ['json'],
  extendTypes: { json: ['application/json'] },
  parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'],
  jsonLimit: MAX_JSON_BODY_BYTES,
  enableRawChecking: true,
  onError(error, ctx) {
    // Discards the rest of the body. Otherwise the next request on this connection would wait forever.
    ctx.req.resume()
    throw new Rejection((error as { status?: unknown }).status === 413 ? 'bodyTooLarge' : 'body')
  },
})

/** This also rejects the forms of other sites, because no form can send JSON. */
export function requireJson(ctx: Context): void {
  const hasBody = (ctx.request.length ?? 0) > 0 || ctx.get('Transfer-Encoding') !== ''
  const { type } = ctx.request
  if (type === '' ? hasBody : type !== 'application/json') throw new Rejection('mediaType')
  if ((ctx.request.length ?? 0) > MAX_JSON_BODY_BYTES) throw new Rejection('bodyTooLarge')
}

/** The JSON body of a request, at most 64 KiB, or an empty object. If a host has read it before, that is used. */
export async function readJsonBody(ctx: Context, rule: Rule, rules?: (body: unknown) => Fields) {
  await parse(ctx, async () => {})
  const { body, rawBody } = ctx.request as { body?: unknown; rawBody?: unknown }
  if (typeof rawBody === 'string' && Buffer.byteLength(rawBody) > MAX_JSON_BODY_BYTES)
    throw new Rejection('bodyTooLarge')
  return readPart('body', rule, body ?? {}, rules)
}

/** All values of a query are texts, so a `limit` of digits becomes a number. */
export function readQuery({ query }: Context, rule: Rule): unknown {
  const { limit } = query
  const isNumber = typeof limit === 'string' && /^\d{1,9}$/.test(limit)
  return readPart('query', rule, { ...query, ...(isNumber && { limit: Number(limit) }) })
}

/**
 * After a mistake, the service is not called. So its `rules` then check the accepted fields, to report all problems.
 */
function readPart(what: 'body' | 'query', rule: Rule, input: unknown, rules?: (input: unknown) => Fields) {
  const found = rule(input)
  if (found === undefined) return valueOf(rule, input)
  const problems = problemsOf(found, what)
  const wrong = new Set(problems.map(({ path }) => /^\w+/.exec(path)?.[0]))
  const fields = isObject(input) && problems.length < MAX_PROBLEMS ? input : {}
  const right = Object.entries(fields).filter(([name]) => !wrong.has(name))
  const accepted = valueOf(rule, Object.fromEntries(right)) as Readonly<Record<string, unknown>>
  const others = Object.entries(rules?.(fields) ?? {}).filter(([name]) => Object.hasOwn(accepted, name))
  const all = [...problems, ...findProblems(accepted, Object.fromEntries(others))]
  throw new Rejection('input', { part: what, problems: all.slice(0, MAX_PROBLEMS) })
}
