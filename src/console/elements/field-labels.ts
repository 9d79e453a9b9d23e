import type { TextName } from '../texts.ts'

/** The labels of the fields of clients, by the names that the services give to the fields. */
export const FIELD_LABELS = {
  name: 'nameLabel',
  redirectUris: 'appsRedirectUris',
  postLogoutRedirectUris: 'appsPostLogout',
  homepageUri: 'appsHomepage',
  logoUri: 'appsLogo',
  privacyUri: 'privacyPolicy',
  termsUri: 'appsTerms',
} as const satisfies Readonly<Record<string, TextName>>

/** The names of what a form sends without a field to type in. */
export const OTHER_LABELS = {
  products: 'productsLabel',
  product: 'problemProduct',
  removedOperations: 'operationLabel',
  scope: 'operationLabel',
  overlap: 'problemOverlap',
} as const satisfies Readonly<Record<string, TextName>>
