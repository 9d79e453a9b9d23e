import type { Catalog, Operation } from '../../catalog/catalog.ts'
import { localize } from '../../catalog/localize.ts'
import type { Html } from '../../http/html.ts'
import { MANDATORY_SCOPE } from '../../grants/consent-decision.ts'
import { scopeStatus, type ScopeStatus } from '../../grants/consent-needed.ts'
import type { PendingInteraction } from './port.ts'
import type { PageTexts, Texts } from './texts.ts'

export interface ScopeEntry {
  readonly scope: string
  readonly title: Html | string
  readonly description?: string | undefined
  readonly status: ScopeStatus
  readonly isTicked: boolean
  readonly isMandatory: boolean
  readonly isSensitive: boolean
}

/** One product, the OpenID Connect scopes, or all other operations. */
export interface ScopeGroup {
  /** `about-you`, `other`, or `product:` with an id: the same on every page of an interaction. */
  readonly key: string
  readonly title: Html | string
  readonly description?: string | undefined
  readonly entries: readonly ScopeEntry[]
}

/** OpenID Connect Core 5.4, 11. */
const OPENID_SCOPES: Readonly<Record<string, keyof Texts>> = {
  openid: 'scopeOpenid',
  profile: 'scopeProfile',
  email: 'scopeEmail',
  address: 'scopeAddress',
  phone: 'scopePhone',
  offline_access: 'scopeOfflineAccess',
}

/** Groups the scopes of the consent page by product, and says which are ticked: all but those denied before. */
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
  // A product may be removed from the application while the page is being rendered.
  const others = [...left]
    .flatMap((scope) => catalog.operations.get(scope) ?? [])
    .map(({ scope, title }) => entry(scope, read(title)))

  return [
    { key: 'about-you', title: texts.html('consentAboutYou'), entries: aboutYou },
    ...groups,
    { key: 'other', title: texts.html('consentOther'), entries: others },
  ].filter(({ entries }) => entries.length > 0)
}

export const GROUP_CHOICES = ['all', 'none'] as const

export interface GroupChoice {
  readonly choice: (typeof GROUP_CHOICES)[number]
  readonly group: string
}

export function formatGroupChoice({ choice, group }: GroupChoice): string {
  return `${choice}:${group}`
}

export function parseGroupChoice(value: string | null): GroupChoice | undefined {
  const [, word, group] = /^([a-z]+):(.+)$/.exec(value ?? '') ?? []
  const choice = GROUP_CHOICES.find((each) => each === word)
  return choice && group !== undefined ? { choice, group } : undefined
}

/** The selected scopes after “All” or “None” of a group was pressed. The group may no longer exist. */
export function selectGroup(
  groups: readonly ScopeGroup[],
  selected: readonly string[],
  { choice, group }: GroupChoice,
): string[] {
  const scopes = groups.find(({ key }) => key === group)?.entries.map(({ scope }) => scope) ?? []
  const others = selected.filter((scope) => !scopes.includes(scope))
  return choice === 'all' ? [...others, ...scopes] : others
}
