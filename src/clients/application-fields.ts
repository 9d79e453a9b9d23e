import { booleanRule, type Fields, optional, uniqueListOf } from '../validation/rules.ts'
import {
  findLogoUriProblem,
  findRedirectUriProblem,
  findWebUriProblem,
  MAX_REDIRECT_URIS,
} from './redirect-uri.ts'

const redirectUrisRule = uniqueListOf(findRedirectUriProblem, MAX_REDIRECT_URIS)

/** Rules for the fields that applications have and API keys do not. */
export const applicationFields = {
  redirectUris: redirectUrisRule,
  postLogoutRedirectUris: redirectUrisRule,
  homepageUri: optional(findWebUriProblem),
  logoUri: optional(findLogoUriProblem),
  privacyUri: optional(findWebUriProblem),
  termsUri: optional(findWebUriProblem),
  firstParty: booleanRule,
} satisfies Fields
