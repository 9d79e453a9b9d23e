import { hasRequiredKycLevel } from '../catalog/limit-by-kyc-level.ts'
import type { Client } from '../clients/client.ts'
import type { Internals } from '../gatehouse/create-internals.ts'
import { createMissingFor } from '../clients/access-preview.ts'
import { localizeFor, presentProducts } from './present-catalog.ts'
import { route, type Call, type Route } from './route.ts'

type Services = Pick<Internals, 'catalog' | 'accounts' | 'defaultLocale'>

/** The route of the products and operations, as the caller may use them. */
export function catalogRoutes({ catalog, accounts, defaultLocale }: Services): Route[] {
  return [
    route({
      method: 'get',
      path: '/catalog',
      operationId: 'getCatalog',
      tag: 'Catalog',
      summary: 'The products with their operations and routes',
      description:
        '`available` says whether the KYC level of the account is high enough for applications to request the operation. API keys need no level. The titles are in the language of `Accept-Language`.',
      access: 'signed-in',
      status: 200,
      answer: 'Catalog',
      async handle({ ctx, caller: { accountId, userId } }) {
        const { kycLevel } = (await accounts.find(accountId, userId)) ?? {}
        const { current } = catalog
        const products = presentProducts(current, localizeFor(ctx, defaultLocale), {
          product: () => ({}),
          operation: (operation) => ({ available: hasRequiredKycLevel(current, kycLevel, operation) }),
        })
        return { kycLevel, kycLevels: current.kycLevels, products }
      },
    }),
  ]
}

/** Creates the handler that answers what a client may call. */
export function createAccessPreview({ catalog, accounts, defaultLocale }: Services) {
  return async function previewAccess({ ctx, resource: client }: Call<undefined, undefined, Client>) {
    // The account is looked up as at a token request.
    const owner = await accounts.find(client.accountId, client.userId)
    const { current } = catalog
    const missingFor = createMissingFor(current, client, owner)
    const products = presentProducts(current, localizeFor(ctx, defaultLocale), {
      product: ({ id }) => ({ added: client.products.includes(id) }),
      operation(operation) {
        const missing = missingFor(operation)
        return { callable: missing.length === 0, missing }
      },
    })
    return { kycLevel: owner?.kycLevel, products }
  }
}
