import { localeProblem } from '../http/locale.ts'
import { checkInput } from '../validation/check-input.ts'
import { mountPathProblem } from '../validation/mount-path.ts'
import { booleanRule, exactObjectOf, functionRule, mapOf, optional, stringRule } from '../validation/rules.ts'
import type { Rule } from '../validation/rules.ts'
import { english } from './texts.ts'

/** Checks the options of the console. @throws {GatehouseError} `ERR_INVALID_ARGUMENT` with every problem */
export function checkConsoleOptions(options: unknown): void {
  checkInput('createConsole()', options, {
    path: optional(mountPathProblem),
    layout: optional(functionRule),
    texts: optional(mapOf(mapOf(optional(pageTextRule), nameProblem), localeProblem)),
    locale: optional(functionRule),
    sameOriginFrame: optional(booleanRule),
  })
}

/** Checks the options of a part. @throws {GatehouseError} `ERR_INVALID_ARGUMENT` with every problem */
export function checkPartOptions(options: unknown): void {
  checkInput('a part of createConsole()', options, { path: mountPathProblem })
}

const pluralRule = exactObjectOf({
  zero: optional(stringRule),
  one: optional(stringRule),
  two: optional(stringRule),
  few: optional(stringRule),
  many: optional(stringRule),
  other: stringRule,
})

const pageTextRule: Rule = (value) => (typeof value === 'string' ? undefined : pluralRule(value))

function nameProblem(name: string): string | undefined {
  return Object.hasOwn(english, name)
    ? undefined
    : 'is not the name of a text of the console (see ConsoleTexts)'
}
