import type { Context } from 'koa'
import type { Catalog, Operation, Product } from '../catalog/catalog.ts'
import type { LocalizedText } from '../catalog/definition.ts'
import { localize } from '../catalog/localize.ts'

/** The texts of a request's language. */
export type Localize = (text: LocalizedText) => string

/** Creates the function that picks the texts of a request's language. */
export function localizeFor(ctx: Context, defaultLocale: string): Localize {
  const wanted = ctx.acceptsLanguages()
  ctx.vary('Accept-Language')
  return (text) => localize(text, wanted, defaultLocale)
}

/**
 * The products of a catalog with their operations, as the API shows them.
 *
 * @param about what else the answer says about each product, and about each operation
 */
export function presentProducts<P extends object, O extends object>(
  catalog: Catalog,
  text: Localize,
  about: { product(product: Product): P; operation(operation: Operation): O },
) {
  return [...catalog.products.values()].map((product) => ({
    ...presentTexts(product, text),
    id: product.id,
    ...about.product(product),
    operations: product.operations.map((operation) => ({
      ...presentTexts(operation, text),
      scope: operation.scope,
      routes: operation.routes.map(({ method, path }) => ({ method, path })),
      kycLevel: operation.kycLevel,
      sensitive: operation.sensitive,
      ...about.operation(operation),
    })),
  }))
}

function presentTexts({ title, description }: Product | Operation, text: Localize) {
  return { title: text(title), description: description && text(description) }
}
