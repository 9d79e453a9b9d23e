import { bodyParser } from '@koa/bodyparser'
import type { Context } from 'koa'
import * as v from 'valibot'
import { formatPath, type Fault, type Problem } from '../../errors.ts'
import { Rejection } from '../front-door/rejection.ts'
import { isObject } from '../../validation/predicates.ts'
import { findProblems, MAX_PROBLEMS, type Fields } from '../../validation/rules.ts'

/** Maximum size of a body. */
export const MAX_BODY_BYTES = 64 * 1024

const parse = bodyParser({
  enableTypes: ['json'],
  extendTypes: { json: ['application/json'] },
  parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'],
  jsonLimit: MAX_BODY_BYTES,
  enableRawChecking: true,
  onError(error, ctx) {
    // Discards the rest of the body. Otherwise the next request on this connection would wait forever.
    ctx.req.resume()
    throw new Rejection((error as { status?: unknown }).status === 413 ? 'bodyTooLarge' : 'body')
  },
})

/**
 * Rejects a body that is not JSON. This also rejects the forms of other sites, because no form can send
 * JSON.
 *
 * @throws {Rejection} `mediaType`, `bodyTooLarge`
 */
export function requireJson(ctx: Context): void {
  const hasBody = (ctx.request.length ?? 0) > 0 || ctx.get('Transfer-Encoding') !== ''
  const { type } = ctx.request
  if (type === '' ? hasBody : type !== 'application/json') throw new Rejection('mediaType')
  if ((ctx.request.length ?? 0) > MAX_BODY_BYTES) throw new Rejection('bodyTooLarge')
}

/**
 * The JSON body of a request; an empty object if there is no body. If a parser of the host has read the body before,
 * the result of the parser is used.
 *
 * @param rules the rules of the service for the values of the body
 * @throws {Rejection} `body`, `bodyTooLarge`, `input`
 */
export async function readBody(
  ctx: Context,
  schema: v.GenericSchema,
  rules?: (body: unknown) => Fields,
): Promise<unknown> {
  await parse(ctx, async () => {})
  const { body, rawBody } = ctx.request as { body?: unknown; rawBody?: unknown }
  if (typeof rawBody === 'string' && Buffer.byteLength(rawBody) > MAX_BODY_BYTES)
    throw new Rejection('bodyTooLarge')
  return checkBySchema('body', schema, body ?? {}, rules)
}

/**
 * The query of a request. All values of a query are texts, so a `limit` of digits becomes a number.
 *
 * @throws {Rejection} `input`
 */
export function readQuery({ query }: Context, schema: v.GenericSchema): unknown {
  const { limit } = query
  const isNumber = typeof limit === 'string' && /^\d{1,9}$/.test(limit)
  return checkBySchema('query', schema, { ...query, ...(isNumber && { limit: Number(limit) }) })
}

/**
 * Checks a part of a request by its schema. The services check the values further. If the schema finds a mistake, the
 * service is not called. To report all problems at once, this function then also applies the rules of the service to
 * the fields that the schema accepts.
 *
 * @param what the part of the request
 * @throws {Rejection} `input` with all problems, each with its path
 */
function checkBySchema(
  what: 'body' | 'query',
  schema: v.GenericSchema,
  input: unknown,
  rules?: (input: unknown) => Fields,
): unknown {
  const parsed = v.safeParse(schema, input)
  if (parsed.success) return parsed.output
  const fields = isObject(input) ? input : {}
  const problems = [...formProblems(what, parsed.issues), ...unknownFields(schema, fields)]
  const wrong = new Set(problems.map(({ path }) => /^\w+/.exec(path)?.[0]))
  const others = Object.entries(rules?.(fields) ?? {}).filter(
    ([name]) => Object.hasOwn(fields, name) && !wrong.has(name),
  )
  problems.push(...findProblems(fields, Object.fromEntries(others)))
  throw new Rejection('input', { part: what, problems: problems.slice(0, MAX_PROBLEMS) })
}

/** The fields that do not have the valid form, or are missing. */
function formProblems(what: string, issues: readonly v.BaseIssue<unknown>[]): Problem[] {
  // The schema reports only one of the unknown fields.
  return issues
    .filter(({ expected }) => expected !== 'never')
    .map((issue) => ({
      path: formatPath((issue.path ?? []).map(({ key }) => key as string | number)) || what,
      ...codeOfIssue(issue),
      message: messageOf(issue),
    }))
}

function unknownFields(schema: v.GenericSchema, fields: object): Problem[] {
  const { entries = {} } = schema as { entries?: object }
  return Object.keys(fields)
    .filter((name) => !Object.hasOwn(entries, name))
    .map((name) => ({ path: formatPath([name]), code: 'unknown', message: 'is unknown here' }))
}

/** Says what is wrong, and never quotes a value, which may be a secret. */
function messageOf({ expected, received, type, requirement }: Issue): string {
  if (type.endsWith('object') && received === 'undefined') return 'is required'
  switch (type) {
    case 'min_length':
      return 'must not be empty'
    case 'max_length':
      return `must have at most ${Number(requirement)} characters`
    case 'min_value':
      return `must be at least ${Number(requirement)}`
    case 'max_value':
      return `must be at most ${Number(requirement)}`
    case 'array':
      return 'must be an array'
    case 'integer':
      return 'must be a whole number'
    case 'picklist':
      return `must be ${expected?.replaceAll(/[()]/g, '').replaceAll(' | ', ' or ')}`
    case 'iso_timestamp':
    case 'check':
      return 'must be a time, such as 2026-07-01T09:30:00Z'
    case 'strict_object':
      return 'must be an object'
    case 'union':
      return 'must be a JWK, or a text in PEM format'
    default:
      return `must be a ${expected}`
  }
}

/** What valibot says about an invalid value. */
interface Issue {
  readonly type: string
  readonly expected: string | null
  readonly received: string
  readonly requirement?: unknown
}

/** The code of an issue of valibot, with the bounds that the code has. */
function codeOfIssue({ type, received, requirement }: Issue): Omit<Fault, 'message'> {
  if (received === 'undefined') return { code: 'required' }
  switch (type) {
    case 'min_length':
      return { code: 'empty' }
    case 'max_length':
      return { code: 'too-long', max: Number(requirement) }
    case 'min_value':
      return { code: 'range', min: Number(requirement) }
    case 'max_value':
      return { code: 'range', max: Number(requirement) }
    case 'picklist':
      return { code: 'choice' }
    default:
      return { code: 'type' }
  }
}
