import { isObject } from '../../validation/predicates.ts'
import { must } from '../../validation/rules.ts'

/** The option `usage` of the console and of the management API. */
export const usageRule = must(
  'the result of createUsage()',
  (value) => isObject(value) && typeof value['list'] === 'function',
)

export const limitsRule = must(
  'the result of createLimits()',
  (value) => isObject(value) && isObject(value['defaults']),
)
