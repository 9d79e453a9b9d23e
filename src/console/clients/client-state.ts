import type { Catalog, Operation } from '../../catalog/catalog.ts'
import type { Client } from '../../clients/client.ts'
import { LAST_USE_SECONDS } from '../../clients/last-used.ts'
import { html, type Html } from '../../http/html.ts'
import { badge } from '../elements/elements.ts'
import type { Call } from '../page.ts'

/**
 * The state of a client as a badge. The worst state counts.
 *
 * @param hasSecret whether a secret is valid. Lists do not read the secrets
 */
export function stateBadge(
  { texts }: Pick<Call, 'texts'>,
  { products }: Pick<Catalog, 'products'>,
  client: Client,
  hasSecret = true,
): Html {
  if (client.disabled) return badge(texts.html('clientsStateDisabled'), 'bad')
  if (!hasSecret) return badge(texts.html('clientsStateNoSecret'), 'bad')
  const isUsable = client.products.some((id) => products.has(id))
  return isUsable
    ? badge(texts.html('clientsStateActive'), 'good')
    : badge(texts.html('clientsStateNoProduct'), 'warn')
}

/** When a client last got a token. */
export function lastUsed(
  { texts }: Pick<Call, 'texts'>,
  { lastUsedAt }: Client,
  now: number = Date.now(),
): Html {
  if (lastUsedAt === undefined) return html`<span class="muted">${texts.html('never')}</span>`
  return now / 1000 - lastUsedAt < LAST_USE_SECONDS ? texts.html('clientsUsedLately') : texts.ago(lastUsedAt)
}

/** The title of a product in the reader's language; its id if the catalog no longer has the product. */
export function productTitle(
  { texts }: Pick<Call, 'texts'>,
  { products }: Pick<Catalog, 'products'>,
  id: string,
): string {
  const product = products.get(id)
  return product ? texts.localize(product.title) : id
}

/** Says which KYC level an operation needs, and which level the account has. */
export function neededLevel(
  { texts }: Pick<Call, 'texts'>,
  {
    catalog,
    kycLevel,
  }: { readonly catalog: Pick<Catalog, 'kycLevels'>; readonly kycLevel: string | undefined },
  operation: Operation,
): Html {
  return texts.html('clientsNeedsLevel', {
    needed: operation.kycLevel,
    level: kycLevel ?? catalog.kycLevels[0] ?? '',
  })
}
