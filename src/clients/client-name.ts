import { kindCode, type Rule } from '../validation/rules.ts'

export const MAX_NAME_LENGTH = 120

/** The name of a client. Characters that reorder or hide text are rejected, because names are shown on the consent page. */
export const nameRule: Rule<string> = (value) => {
  if (typeof value !== 'string') return { code: kindCode(value), message: 'must be a text that is not empty' }
  if (value.trim() === '') return { code: 'empty', message: 'must be a text that is not empty' }
  const max = MAX_NAME_LENGTH
  if (value.length > max) return { code: 'too-long', message: `must have at most ${max} characters`, max }
  if (/[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(value)) {
    const message =
      'must not contain line breaks, control characters or characters that reverse the direction of text'
    return { code: 'characters', message }
  }
  return undefined
}
