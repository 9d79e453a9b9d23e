import type { Page } from '../page.ts'
import { accountPages } from './account-page.ts'
import { auditPage } from './audit-page.ts'
import { clientPage } from './client-page.ts'
import { healthPage } from './health-page.ts'
import { keysPages } from './keys-page.ts'
import type { OperatorServices } from './operator-page.ts'
import { revokePages } from './revoke-page.ts'
import { searchPage } from './search-page.ts'

/** The pages of operators, who may see and revoke everything. */
export function operatorPages(services: OperatorServices): Page[] {
  return [
    searchPage(services),
    clientPage(services),
    ...accountPages(services),
    ...revokePages(services),
    ...keysPages(services),
    healthPage(services),
    auditPage(services),
  ]
}
