import * as v from 'valibot'
import { formatPath } from '../errors.ts'
import { ApiError } from './api-error.ts'

/** Maximum number of problems in an answer, because a person has to read them. */
const MAX_PROBLEMS = 100

/**
 * Checks a part of a request by its schema. The services check the values further.
 *
 * @param what the part, for the message: `body` or `query`
 * @throws {ApiError} `ERR_INPUT` with all problems, each with its path
 */
export function checkBySchema<const Schema extends v.GenericSchema>(
  what: string,
  schema: Schema,
  input: unknown,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, input)
  if (parsed.success) return parsed.output
  const problems = parsed.issues
    .slice(0, MAX_PROBLEMS)
    .map(({ path = [], expected, received, type, message }) => ({
      path: formatPath(path.map(({ key }) => key as string | number)) || what,
      message: messageOf({ expected, received, type, message }),
    }))
  throw new ApiError('ERR_INPUT', `the ${what} is not valid`, { problems })
}

/** Says what is wrong, and never quotes a value, which may be a secret. */
function messageOf(issue: { expected: string | null; received: string; type: string; message: string }) {
  const { expected, received, type } = issue
  if (type === 'strict_object' && expected === 'never') return 'is unknown here'
  if (type.endsWith('object') && received === 'undefined') return 'is required'
  if (expected === null) return issue.message
  return `must be ${expected}`
}
