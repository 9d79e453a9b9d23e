import type { LocalizedText } from '../catalog/definition.ts'
import { localizedTextRule } from '../catalog/products-rule.ts'
import { isObject } from '../validation/predicates.ts'
import { exactObjectOf, mapOf, optional, type AddProblem, type Rule } from '../validation/rules.ts'
import { metadataScopes, productIds } from './shared-schema.ts'
import { addressProblem, conflictProblem, placementProblem } from './urls.ts'

const titleRule: Rule<LocalizedText> = (value) =>
  localizedTextRule(value) && { code: 'type', message: 'must be a text, or a text per locale' }

/** The option `resources`, except for the checks of `checkResources`. */
export const resourcesRule = mapOf(
  exactObjectOf({ products: productIds, title: optional(titleRule), metadataScopes }),
  addressProblem,
)

/** Checks the addresses of the resources against `issuer`, against `audience` and against each other. */
export function checkResources(options: Readonly<Record<string, unknown>>, add: AddProblem): void {
  const { issuer, audience, resources } = options
  if (!isObject(resources)) return
  const checked: unknown[] = [audience]
  for (const [address, resource] of Object.entries(resources)) {
    if (address === audience) continue
    const problems = [
      placementProblem(issuer, address),
      ...checked.map((other) => conflictProblem(address, other)),
    ]
    for (const message of problems)
      if (message !== undefined) add(['resources', address], { code: 'not-allowed', message })
    checked.push(address)
    if (isObject(resource) && resource['title'] === undefined) {
      const message = 'is required: the name of the resource, for people who are asked for consent'
      add(['resources', address, 'title'], { code: 'required', message })
    }
  }
}
