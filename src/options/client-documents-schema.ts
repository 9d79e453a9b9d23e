import {
  coversEveryHost,
  type DocumentPolicy,
  findPolicy,
  findPatternProblem,
} from '../clients/documents/document-policy.ts'
import { isObject } from '../validation/predicates.ts'
import {
  exactObjectOf,
  listOf,
  oneOf,
  optional,
  together,
  type AddProblem,
  type Rule,
} from '../validation/rules.ts'
import { flag, productIds } from './shared-schema.ts'

const match: Rule<string> = findPatternProblem

const policyRule = exactObjectOf({
  match,
  products: productIds,
  kycLevel: optional<string>(() => undefined),
  name: optional(oneOf('verified')),
  loopback: flag,
})

/** The option `clientDocuments`, except for the check of `checkDocuments`. */
export const documentsRule = listOf(
  together(policyRule, ({ match: pattern, name }, add) => {
    if (name === undefined || !coversEveryHost(pattern)) return
    const message = 'is possible only for hosts that you know, and this entry covers every host'
    add(['name'], { code: 'not-allowed', message })
  }),
)

/** Checks the policies against each other, against `kycLevels`, and against `products` unless a function loads them. */
export function checkDocuments(options: Readonly<Record<string, unknown>>, add: AddProblem): void {
  const { clientDocuments, kycLevels, products } = options
  if (!Array.isArray(clientDocuments)) return
  const levels: unknown[] = Array.isArray(kycLevels) ? kycLevels : []
  const before: DocumentPolicy[] = []
  for (const [index, policy] of (clientDocuments as (Partial<DocumentPolicy> | undefined)[]).entries()) {
    const { match, kycLevel, products: listed } = policy ?? {}
    if (kycLevel !== undefined && !levels.includes(kycLevel)) {
      const message =
        levels.length > 0 ? `must be one of: ${levels.join(', ')}` : 'needs the option kycLevels'
      add(['clientDocuments', index, 'kycLevel'], { code: 'choice', message })
    }
    const unknown =
      isObject(products) && Array.isArray(listed) ? listed.filter((id) => !(String(id) in products)) : []
    if (unknown.length > 0) {
      const message = `names products that do not exist: ${unknown.join(', ')}`
      add(['clientDocuments', index, 'products'], { code: 'not-found', message })
    }
    if (typeof match !== 'string') continue
    if (findPolicy(before, match)) {
      const message = 'never applies, because an earlier entry covers it: put it first'
      add(['clientDocuments', index, 'match'], { code: 'duplicate', message })
    }
    before.push({ match, products: [] })
  }
}
