import * as v from 'valibot'
import { formatPath } from '../errors.ts'
import { codeOfIssue } from '../validation/issue-code.ts'
import { Rejection } from '../front-door/rejection.ts'

/** Maximum number of problems in an answer, because a person has to read them. */
const MAX_PROBLEMS = 100

/**
 * Checks a part of a request by its schema. The services check the values further.
 *
 * @param what the part of the request
 * @throws {Rejection} `input` with all problems, each with its path
 */
export function checkBySchema<const Schema extends v.GenericSchema>(
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
