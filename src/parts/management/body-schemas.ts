import * as v from 'valibot'
import { OVERLAP_SECONDS } from '../../clients/secret-rotation.ts'
import { MAX_KEY_LENGTH } from '../../clients/jwk-set.ts'
import { MAX_LEAK_LENGTH } from '../../host/change-options.ts'
import { MAX_NAME_LENGTH } from '../../validation/rules.ts'
import { timeAsSeconds } from './times.ts'

// What callers send.

const text = v.string()
const texts = v.array(text)
const name = v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_NAME_LENGTH))
/** The links that the consent page shows for an application. */
export const linksOf = <Link extends v.GenericSchema>(link: Link) => ({
  homepageUri: link,
  logoUri: link,
  privacyUri: link,
  termsUri: link,
})
const optionalLinks = linksOf(v.optional(text))

const expiry = timeAsSeconds('When it expires, such as `2026-07-01T00:00:00Z`')

const allowedAddresses = v.pipe(
  texts,
  v.description('IP addresses and networks, such as `203.0.113.0/24`, from which it may be used'),
)

/** Optional texts with these names. */
function membersOf<Name extends string>(names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, v.optional(text)])) as {
    [Each in Name]: v.OptionalSchema<typeof text, undefined>
  }
}

/** A public key: the service checks it further. */
const publicKey = v.pipe(
  v.union([
    v.pipe(text, v.maxLength(MAX_KEY_LENGTH)),
    v.looseObject({ kty: text, ...membersOf(['kid', 'use', 'alg', 'crv', 'x', 'y', 'n', 'e']) }),
  ]),
  v.description('A public key: a JWK (RFC 7517), or a text in PEM format'),
)

/** A public key that is added to a client. */
export const NewKey = v.strictObject({ key: publicKey })

const origins = v.pipe(
  texts,
  v.description('Only for a public application: further origins whose pages may call the token endpoint'),
)

const newClient = {
  name,
  products: v.optional(texts),
  removedOperations: v.optional(texts),
  expiresAt: v.optional(v.pipe(v.nullable(expiry), v.description('null: it never expires'))),
  allowedAddresses: v.optional(allowedAddresses),
  jwks: v.optional(
    v.pipe(
      v.strictObject({ keys: v.array(publicKey) }),
      v.description('Public keys with which it authenticates, instead of a secret; at most 10'),
    ),
  ),
}

export const NewApiKey = v.strictObject(newClient)

export const NewApplication = v.strictObject({
  ...newClient,
  isPublic: v.optional(
    v.pipe(v.boolean(), v.description('true: it runs in a browser or on a device, and gets no secret')),
  ),
  redirectUris: v.optional(texts),
  postLogoutRedirectUris: v.optional(texts),
  origins: v.optional(origins),
  ...optionalLinks,
})

/** What every client can change. */
const clientChanges = {
  name: v.optional(name),
  expiresAt: v.optional(
    v.pipe(
      v.nullable(expiry),
      v.description('null: it never expires. An earlier time than before revokes the tokens issued so far'),
    ),
  ),
  allowedAddresses: v.optional(
    v.pipe(allowedAddresses, v.description('A change revokes the tokens issued so far; empty: any address')),
  ),
}

export const ApiKeyChanges = v.strictObject(clientChanges)

export const ApplicationChanges = v.strictObject({
  ...clientChanges,
  redirectUris: v.optional(texts),
  postLogoutRedirectUris: v.optional(texts),
  origins: v.optional(origins),
  ...linksOf(v.optional(v.nullable(text))),
})

/** The user or account to which a client is handed over. */
export const NewOwner = v.strictObject({
  userId: v.pipe(v.nullable(text), v.description('null for the account')),
})

const limit = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000_000_000))

/** Limits of one client. */
export const NewLimits = v.strictObject({
  perMinute: v.optional(v.pipe(limit, v.description('API calls a minute'))),
  perDay: v.optional(v.pipe(limit, v.description('API calls a day'))),
})

export const Rotation = v.strictObject({
  overlapSeconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(OVERLAP_SECONDS.max))),
})

export const LeakedSecret = v.strictObject({
  secret: v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_KEY_LENGTH)),
  leakSource: v.optional(
    v.pipe(
      text,
      v.maxLength(MAX_LEAK_LENGTH.source),
      v.description('Where the secret was found, such as `commit`'),
    ),
  ),
  leakUrl: v.optional(
    v.pipe(
      text,
      v.maxLength(MAX_LEAK_LENGTH.url),
      v.description('The address at which the secret was found'),
    ),
  ),
})

/** The schemas of bodies that have a name in the OpenAPI document. */
export const BODIES = {
  NewApiKey,
  ApiKeyChanges,
  NewApplication,
  ApplicationChanges,
  NewKey,
  NewOwner,
  NewLimits,
  Rotation,
  LeakedSecret,
} satisfies Record<string, v.GenericSchema>
