import type { Fault } from '../errors.ts'

/** What valibot says about an invalid value. */
interface Issue {
  readonly type: string
  readonly expected: string | null
  readonly received: string
  readonly requirement?: unknown
}

/** The code of an issue of valibot, with the bounds that the code has. */
export function codeOfIssue({ type, expected, received, requirement }: Issue): Omit<Fault, 'message'> {
  if (expected === 'never') return { code: 'unknown' }
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
    case 'regex':
      return { code: 'format' }
    case 'check':
      return { code: 'not-allowed' }
    default:
      return { code: 'type' }
  }
}
