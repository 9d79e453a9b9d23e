import type { TextName } from './texts.ts'

/** The names of the scopes of OpenID Connect (Core 5.4, 11), in words. */
export const OPENID_SCOPES: ReadonlyMap<string, TextName> = new Map<string, TextName>([
  ['openid', 'connectedScopeOpenid'],
  ['profile', 'connectedScopeProfile'],
  ['email', 'connectedScopeEmail'],
  ['address', 'connectedScopeAddress'],
  ['phone', 'connectedScopePhone'],
  ['offline_access', 'connectedScopeOffline'],
])
