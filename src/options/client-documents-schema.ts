import {
  coversEveryHost,
  type DocumentPolicy,
  findPolicy,
  findPatternProblem,
} from '../clients/documents/document-policy.ts'
import type { Fault } from '../errors.ts'
import { isObject } from '../validation/predicates.ts'
import { exactly, flag, list, listOf, optional, rule, type AddProblem } from './schema.ts'

/** The option `clientDocuments`, except for the check of `checkDocuments`. */
export const documentsSchema = listOf(
  exactly(
    {
      match: rule<string>(findPatternProblem),
      products: list('a list of at least one product id'),
      kycLevel: optional(rule<string>(() => undefined)),
      name: optional(rule<'verified'>(nameProblem)),
      loopback: flag,
    },
    {
      check({ match, products, name }, add) {
        if (Array.isArray(products) && products.length === 0) {
          add(['products'], { code: 'empty', message: 'must have at least one product id' })
        }
        if (name === undefined || !coversEveryHost(match)) return
        const message = 'is possible only for hosts that you know, and this entry covers every host'
        add(['name'], { code: 'not-allowed', message })
      },
    },
  ),
)

function nameProblem(value: unknown): Fault | undefined {
  return value === 'verified' ? undefined : { code: 'choice', message: "must be 'verified', or absent" }
}

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
