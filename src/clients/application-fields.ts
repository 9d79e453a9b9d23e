import { GatehouseError } from '../errors.ts'
import { booleanRule, type Fields, optional, uniqueListOf } from '../validation/rules.ts'
import type { Application } from './client.ts'
import { findLogoUriProblem, findRedirectUriProblem, findWebUriProblem } from './application-uris.ts'
import { findOriginProblem, findPublicRedirectUriProblem } from './public-uris.ts'

const MAX_REDIRECT_URIS = 20

const MAX_ORIGINS = 20

const redirectUrisRule = uniqueListOf(findPublicRedirectUriProblem, MAX_REDIRECT_URIS)

/** Redirect URIs of public applications pass too: `requireConsistent` checks what depends on other fields. */
export const applicationFields = {
  redirectUris: redirectUrisRule,
  postLogoutRedirectUris: redirectUrisRule,
  homepageUri: optional(findWebUriProblem),
  logoUri: optional(findLogoUriProblem),
  privacyUri: optional(findWebUriProblem),
  termsUri: optional(findWebUriProblem),
  firstParty: booleanRule,
  origins: optional(uniqueListOf(findOriginProblem, MAX_ORIGINS)),
} satisfies Fields

/** For an application that is not public. */
export const webRedirectUrisRule = uniqueListOf(findRedirectUriProblem, MAX_REDIRECT_URIS)

/** In bytes. An address is ASCII. */
const MAX_ADDRESS_BYTES = 16_384

/** Rejects too long addresses that get longer. @throws {GatehouseError} `ERR_INVALID_ARGUMENT` */
export function requireShortAddresses(application: Addresses, before?: Addresses): void {
  const bytes = addressBytes(application)
  if (bytes <= MAX_ADDRESS_BYTES || (before && bytes <= addressBytes(before))) return
  const message = `the addresses of the application have ${bytes} characters in total, and at most ${MAX_ADDRESS_BYTES} are allowed. Use fewer or shorter addresses`
  throw new GatehouseError('ERR_INVALID_ARGUMENT', message, {
    problems: [{ path: '', code: 'urls-too-long', message, max: MAX_ADDRESS_BYTES }],
  })
}

const ADDRESSES = [
  'redirectUris',
  'postLogoutRedirectUris',
  'origins',
  'homepageUri',
  'logoUri',
  'privacyUri',
  'termsUri',
] as const

type Addresses = { readonly [Name in (typeof ADDRESSES)[number]]?: Application[Name] | undefined }

function addressBytes(application: Addresses): number {
  return ADDRESSES.flatMap((name) => application[name] ?? []).join('').length
}
