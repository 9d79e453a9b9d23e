import type { Catalog } from '../../catalog/catalog.ts'
import { displayText } from '../../http/pages/display-text.ts'
import type { Reader } from './reader-formats.ts'
import type { TextName } from './texts.ts'

/** OpenID Connect Core 5.4, 11. */
export const OPENID_SCOPES: ReadonlyMap<string, TextName> = new Map<string, TextName>([
  ['openid', 'connectedScopeOpenid'],
  ['profile', 'connectedScopeProfile'],
  ['email', 'connectedScopeEmail'],
  ['address', 'connectedScopeAddress'],
  ['phone', 'connectedScopePhone'],
  ['offline_access', 'connectedScopeOffline'],
])

/** The title of an operation, or the words for a scope of OpenID Connect; else the scope itself. */
export function scopeTitle(scope: string, texts: Reader, { operations }: Catalog): string {
  const operation = operations.get(scope)
  if (operation) return texts.localize(operation.title)
  const known = OPENID_SCOPES.get(scope)
  return known === undefined ? displayText(scope) : texts.plain(known)
}
