import type { JwkSet } from '../jwk-set.ts'
import { hostOf } from '../../validation/document-id.ts'
import { redirectKindOf } from '../application-uris.ts'
import type { DocumentApplication } from './document-application.ts'
import { coversEveryHost, type DocumentPolicy } from './document-policy.ts'

export interface DocumentMetadata {
  readonly name: string
  /** Those that can be used: https, or http on loopback. At least one. */
  readonly redirectUris: readonly string[]
  readonly method: 'none' | 'private_key_jwt'
  readonly privacyUri?: string | undefined
  readonly termsUri?: string | undefined
  readonly jwks?: JwkSet | undefined
  readonly jwksUri?: string | undefined
}

/** The application of a document under the present policy, or what is wrong, as a text. */
export function toApplication(
  document: {
    readonly clientId: string
    readonly metadata: DocumentMetadata
    readonly version: string
    readonly keys?: JwkSet | undefined
    readonly createdAt: number
    readonly approvedAt?: number | undefined
  },
  policy: DocumentPolicy,
  settings: { readonly epoch: number; readonly kycLevels: readonly string[] },
): DocumentApplication | string {
  const { clientId, metadata, version, keys, createdAt } = document
  const { name, privacyUri, termsUri, method, jwks } = metadata
  const redirectUris = metadata.redirectUris.filter(
    (uri) => policy.loopback || redirectKindOf(uri) === 'https',
  )
  if (redirectUris.length === 0) return NO_LOOPBACK
  return {
    kind: 'application',
    clientId,
    accountId: '',
    name,
    products: policy.products,
    removedOperations: [],
    disabled: false,
    epoch: settings.epoch,
    createdAt,
    redirectUris,
    postLogoutRedirectUris: [],
    privacyUri,
    termsUri,
    firstParty: false,
    ...(method === 'none' ? { isPublic: true } : { jwks: keys ?? jwks ?? { keys: [] } }),
    document: {
      host: hostOf(clientId),
      isVerified: policy.name === 'verified',
      isOfAnyHost: coversEveryHost(policy.match),
      kycLevel: policy.kycLevel ?? settings.kycLevels[0],
      version,
      isApproved: document.approvedAt !== undefined,
      epoch: settings.epoch,
    },
  }
}

const NO_LOOPBACK =
  'all redirect_uris lead to the computer of the user, and this service does not accept that for this document (loopback)'
