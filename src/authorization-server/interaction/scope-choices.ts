import type { Catalog, Operation } from '../../catalog/catalog.ts'
import { localize } from '../../catalog/localize.ts'
import type { Html } from '../../http/html.ts'
import { MANDATORY_SCOPE } from '../../grants/consent-decision.ts'
import { scopeStatus, type ScopeStatus } from '../../grants/consent-needed.ts'
import type { PendingInteraction } from './port.ts'
import type { PageTexts, Texts } from './texts.ts'

/** One scope on the consent page. */
export interface ScopeEntry {
  readonly scope: string
  readonly title: Html | string
  readonly description?: string | undefined
  readonly status: ScopeStatus
  readonly isTicked: boolean
  /** Whether the scope is shown without a checkbox, because it is always included. */
  readonly isMandatory: boolean
  /** Whether the host marks the operation as sensitive. */
  readonly isSensitive: boolean
}

/** A group of scopes on the consent page: one product, the OpenID Connect scopes, or all other operations. */
export interface ScopeGroup {
  /**
   * This key is the same on every page of an interaction: `about-you`, `other`, or `product:` with the id of a product.
   */
  readonly key: string
  readonly title: Html | string
  readonly description?: string | undefined
  readonly entries: readonly ScopeEntry[]
}

/** Scopes of OpenID Connect (Core 5.4, 11) and their texts on the page. */
const OPENID_SCOPES: Readonly<Record<string, keyof Texts>> = {
  openid: 'scopeOpenid',
  profile: 'scopeProfile',
  email: 'scopeEmail',
  address: 'scopeAddress',
  phone: 'scopePhone',
  offline_access: 'scopeOfflineAccess',
}

/**
 * Groups the requested scopes for the consent page: first the scopes about the person, and then the operations by product,
 * in the order of the catalog. If several products of the application contain an operation, the operation is shown under the
 * first of them.
 *
 * @param selected the selected scopes of the submitted form; undefined if no form was submitted
 */
export function scopeGroups(
  pending: Pick<PendingInteraction, 'requestedScopes' | 'storedConsent' | 'application'>,
  catalog: Catalog,
  texts: PageTexts,
  selected?: readonly string[],
): ScopeGroup[] {
  const { requestedScopes, storedConsent, application } = pending
  const entry = (scope: string, title: Html | string, description?: string): ScopeEntry => {
    const status = scopeStatus(scope, storedConsent)
    return {
      scope,
      title,
      description,
      status,
      // On the first page, all scopes are ticked except the scopes that the person denied before.
      isTicked: selected ? selected.includes(scope) : status !== 'denied',
      isMandatory: scope === MANDATORY_SCOPE,
      isSensitive: catalog.operations.get(scope)?.sensitive ?? false,
    }
  }
  const read = (text: Operation['title']) => localize(text, texts.locales, texts.defaultLocale)

  const aboutYou = requestedScopes
    .filter((scope) => !catalog.operations.has(scope))
    .map((scope) => entry(scope, texts.html(OPENID_SCOPES[scope] ?? 'scopeOther', { scope })))

  const left = new Set(requestedScopes)
  const products = [...catalog.products.values()].filter(
    ({ id }) => application.products?.includes(id) ?? true,
  )
  const groups = products.map(({ id, title, description, operations }) => ({
    key: `product:${id}`,
    title: read(title),
    description: description && read(description),
    entries: operations
      .filter(({ scope }) => left.delete(scope))
      .map((operation) =>
        entry(operation.scope, read(operation.title), operation.description && read(operation.description)),
      ),
  }))
  // A product may be removed from the application while the page is being rendered. The requested operations
  // of that product are shown anyway, in the group of other operations.
  const others = [...left]
    .flatMap((scope) => catalog.operations.get(scope) ?? [])
    .map(({ scope, title }) => entry(scope, read(title)))

  return [
    { key: 'about-you', title: texts.html('consentAboutYou'), entries: aboutYou },
    ...groups,
    { key: 'other', title: texts.html('consentOther'), entries: others },
  ].filter(({ entries }) => entries.length > 0)
}
