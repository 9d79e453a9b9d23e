import type { Application } from '../../clients/client.ts'
import { documentOf } from '../../clients/documents/document-application.ts'
import { redirectKindOf } from '../../clients/application-uris.ts'
import type { Account } from '../../host/accounts.ts'
import type { Destination, PendingInteraction } from './port.ts'

/** @param developer the account that owns the application; undefined if the host does not know it */
export function presentApplication(
  application: Application,
  developer: Account | undefined,
): PendingInteraction['application'] {
  const { clientId, name, homepageUri, logoUri, privacyUri, termsUri, products } = application
  const developerName = text(developer?.claims?.['name'])
  const document = documentOf(application)
  if (document) return { clientId, name, privacyUri, termsUri, products, document }
  return { clientId, name, homepageUri, logoUri, privacyUri, termsUri, developerName, products }
}

/** The login distinguishes accounts of the same name. It is shown to the owner of the account alone. */
export function presentAccount({ id, claims }: Account): { name: string; login?: string | undefined } {
  const login = text(claims?.['email']) ?? text(claims?.['preferred_username'])
  const name = text(claims?.['name']) ?? login ?? id
  return name === login ? { name } : { name, login }
}

/** Where the browser is sent in the end: to a website, a program on the computer, or an app. */
export function destinationOf(application: Application, redirectUri: string): Destination {
  const origin = originOf(redirectUri)
  const mayBeNative = application.isPublic || documentOf(application) !== undefined
  const kind = mayBeNative && redirectKindOf(redirectUri)
  if (kind === 'loopback') return { origin, local: 'program' }
  return kind === 'private-scheme' ? { origin, local: 'app' } : { origin }
}

/** The scheme alone of an address without an origin. */
export function originOf(address: string): string {
  const { origin, protocol } = new URL(address)
  return origin === 'null' ? protocol : origin
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
