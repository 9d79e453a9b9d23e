import { hasRequiredKycLevel } from '../../catalog/resolve-scopes.ts'
import type { Client } from '../../clients/client.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import { accessOf } from '../../clients/access-preview.ts'
import { route, type Call, type Route } from './route.ts'
import type { Context } from 'koa'
import type { Catalog, Operation, Product } from '../../catalog/catalog.ts'
import type { LocalizedText } from '../../catalog/definition.ts'
import { localize } from '../../catalog/localize.ts'
import { wantedLocales } from '../../http/locale.ts'

type Services = Pick<Internals, 'catalog' | 'accounts' | 'defaultLocale'>

/** Products, operations, and what the caller's applications may request. */
export function catalogRoutes({ catalog, accounts, defaultLocale }: Services): Route[] {
  return [
    route({
      path: 'get /catalog',
      operationId: 'getCatalog',
      tag: 'Catalog',
      summary: 'The products with their operations and routes',
      description:
        '`available` says whether the KYC level of the account is high enough for applications to request the operation. API keys need no level. The titles are in the language of `Accept-Language`.',
      access: 'signed-in',
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

export function createAccessPreview({ catalog, accounts, defaultLocale }: Services) {
  return async function previewAccess({ ctx, resource: client }: Call<undefined, undefined, Client>) {
    // The account is looked up in the same way as for a token request.
    const owner = await accounts.find(client.accountId, client.userId)
    const { current } = catalog
    const { noToken, missingFor } = accessOf(current, client, owner)
    const products = presentProducts(current, localizeFor(ctx, defaultLocale), {
      product: ({ id }) => ({ added: client.products.includes(id) }),
      operation(operation) {
        const missing = missingFor(operation)
        return { callable: missing.length === 0, missing }
      },
    })
    return { noToken, kycLevel: owner?.kycLevel, products }
  }
}

type Localize = (text: LocalizedText) => string

function localizeFor(ctx: Context, defaultLocale: string): Localize {
  const wanted = wantedLocales(ctx)
  ctx.vary('Accept-Language')
  return (text) => localize(text, wanted, defaultLocale)
}

function presentProducts<P extends object, O extends object>(
  catalog: Catalog,
  text: Localize,
  about: { product(product: Product): P; operation(operation: Operation): O },
) {
  return [...catalog.products.values()].map((product) => ({
    ...product,
    ...presentTexts(product, text),
    ...about.product(product),
    operations: product.operations.map((operation) => ({
      ...operation,
      ...presentTexts(operation, text),
      ...about.operation(operation),
    })),
  }))
}

function presentTexts({ title, description }: Product | Operation, text: Localize) {
  return { title: text(title), description: description && text(description) }
}
