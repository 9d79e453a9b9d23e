import { STATUS_CODES } from 'node:http'
import { PROBLEM_CODES, type ProblemCode } from './openapi-codes.ts'
import type { Route } from './route.ts'

const SCHEMA = { $ref: '#/components/schemas/Problem' }
const CHALLENGE = { description: 'How to authenticate', schema: { type: 'string' } }
const RETRY_AFTER = { description: 'Seconds to wait before the next try', schema: { type: 'integer' } }

/** Collects the responses to requests that fail. Generated types tell problems apart by `status` and `code`. */
export function collectProblemResponses() {
  const components: Record<string, object> = {}

  function refer(name: string, response: object) {
    components[name] ??= response
    return { $ref: `#/components/responses/${name}` }
  }

  return {
    components,
    of(route: Route): Record<string, object> {
      const possible = new Set(codesOf(route))
      const known = PROBLEM_CODES.filter(({ code }) => possible.has(code))
      const statuses = [...new Set(known.map(({ status }) => status))]
      const responses = statuses.map((status) => {
        const codes = known.filter((each) => each.status === status)
        return [status, refer(nameOf(codes), responseOf(status, codes))]
      })
      return { ...Object.fromEntries(responses), 500: refer('InternalError', INTERNAL_ERROR) }
    },
  }
}

type Code = (typeof PROBLEM_CODES)[number]

/** `NotSignedIn`, `ConflictOrInProgress` */
function nameOf(codes: readonly Code[]): string {
  const words = codes.map(({ code }) =>
    code
      .replace('ERR', '')
      .toLowerCase()
      .replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  )
  return words.join('Or')
}

function responseOf(status: number, known: readonly Code[]) {
  const codes = known.map(({ code }) => code)
  const meanings = known.map(({ code, meaning }) => `- \`${code}\`: ${meaning}`)
  const headers = {
    ...(status === 401 && { 'WWW-Authenticate': CHALLENGE }),
    ...((status === 503 || codes.includes('ERR_IN_PROGRESS')) && { 'Retry-After': RETRY_AFTER }),
  }
  return {
    description: `${STATUS_CODES[status]}\n\n${meanings.join('\n')}`,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...contentOf(status, { code: { type: 'string', enum: codes } }),
  }
}

const INTERNAL_ERROR = {
  description: 'Something failed in the service. `code` says where, for its operators; a repeat may succeed.',
  ...contentOf(500, {}),
}

function contentOf(status: number, properties: Record<string, object>) {
  const narrowed = { status: { type: 'integer', enum: [status] }, ...properties }
  const schema = {
    allOf: [SCHEMA, { type: 'object', required: Object.keys(narrowed), properties: narrowed }],
  }
  return { content: { 'application/problem+json': { schema } } }
}

/** They follow from the checks that `call-route.ts` makes for the fields of the route, and from its `errors`. */
function codesOf(route: Route): ProblemCode[] {
  const { method, access, query, body, find, isConditional, isRepeatable, confirms, errors } = route
  if (access === 'public') return ['ERR_QUERY']
  const isChange = method !== 'get'
  return [
    'ERR_QUERY',
    'ERR_NOT_SIGNED_IN',
    ...when(access !== 'signed-in', 'ERR_FORBIDDEN'),
    ...when(confirms !== undefined, 'ERR_CONFIRM'),
    ...when(find !== undefined, 'ERR_NOT_FOUND'),
    ...when(isChange, 'ERR_CSRF', 'ERR_MEDIA_TYPE', 'ERR_BODY_TOO_LARGE', 'ERR_CONFLICT'),
    ...when(body !== undefined, 'ERR_BODY', 'ERR_INPUT'),
    ...when(query !== undefined, 'ERR_INPUT'),
    ...when(isConditional, 'ERR_CHANGED'),
    ...when(!isConditional, 'ERR_INPUT'),
    ...when(isRepeatable, 'ERR_IN_PROGRESS', 'ERR_IDEMPOTENCY_KEY'),
    ...(errors ?? []),
    'ERR_STORE_UNAVAILABLE',
    'ERR_NOT_READY',
    'ERR_CLOSED',
  ]
}

function when(isSo: boolean | undefined, ...codes: ProblemCode[]): ProblemCode[] {
  return isSo ? codes : []
}
