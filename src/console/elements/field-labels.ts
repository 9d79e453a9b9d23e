import type { TextName } from '../texts.ts'

/** The labels of the fields of clients, by the names that the services give to the fields. */
export const FIELD_LABELS = {
  name: 'clientsName',
  redirectUris: 'appsRedirectUris',
  postLogoutRedirectUris: 'appsPostLogout',
  homepageUri: 'appsHomepage',
  logoUri: 'appsLogo',
  privacyUri: 'appsPrivacy',
  termsUri: 'appsTerms',
} as const satisfies Readonly<Record<string, TextName>>
