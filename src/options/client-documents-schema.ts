import {
  coversEveryHost,
  type DocumentPolicy,
  findPatternProblem,
} from '../clients/documents/document-policy.ts'
import type { Fault } from '../errors.ts'
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

/** Checks the KYC levels of the policies against `kycLevels`. */
export function checkDocuments(options: Readonly<Record<string, unknown>>, add: AddProblem): void {
  const { clientDocuments, kycLevels } = options
  if (!Array.isArray(clientDocuments)) return
  const levels: unknown[] = Array.isArray(kycLevels) ? kycLevels : []
  for (const [index, policy] of (clientDocuments as (Partial<DocumentPolicy> | undefined)[]).entries()) {
    const level = policy?.kycLevel
    if (level === undefined || levels.includes(level)) continue
    add(['clientDocuments', index, 'kycLevel'], { code: 'choice', message: 'must be one of kycLevels' })
  }
}
