import { listOf, optional, type Fields } from '../validation/input.ts'
import {
  findLogoUriProblem,
  findRedirectUriProblem,
  findWebUriProblem,
  MAX_REDIRECT_URIS,
} from './redirect-uri.ts'

const redirectUrisRule = listOf(findRedirectUriProblem, MAX_REDIRECT_URIS)

/** Rules for the fields that applications have and API keys do not. */
export const applicationFields = {
  redirectUris: redirectUrisRule,
  postLogoutRedirectUris: redirectUrisRule,
  homepageUri: optional(findWebUriProblem),
  logoUri: optional(findLogoUriProblem),
  firstParty: (value: unknown) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
} satisfies Fields
