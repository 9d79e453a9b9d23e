import { OVERLAP_SECONDS } from '../../clients/secret-rotation.ts'
import { MAX_KEY_LENGTH } from '../../clients/jwk-set.ts'
import type { PublicKeyInput } from '../../clients/client-inputs.ts'
import { MAX_LEAK_LENGTH } from '../../host/change-options.ts'
import * as json from '../../validation/json-rules.ts'
import { MAX_NAME_LENGTH, ruleWith, type Rule } from '../../validation/rules.ts'

// What callers send.

const optionalText = json.optional(json.text)
const texts = json.array(json.text)
const optionalTexts = json.optional(texts)
const name = json.textOf({ minLength: 1, maxLength: MAX_NAME_LENGTH })

/** The links that the consent page shows for an application. */
export function linksOf<Link>(link: Link) {
  return { homepageUri: link, logoUri: link, privacyUri: link, termsUri: link }
}

const expiry = json.nullable(json.described(json.time, 'When it expires, such as `2026-07-01T00:00:00Z`'))

const pem = json.textOf({ maxLength: MAX_KEY_LENGTH })
const jwk = json.object({
  kty: json.text,
  kid: optionalText,
  use: optionalText,
  alg: optionalText,
  crv: optionalText,
  x: optionalText,
  y: optionalText,
  n: optionalText,
  e: optionalText,
})

/** A public key: the service checks it further. */
const publicKey = ruleWith<PublicKeyInput>(
  (value) => {
    if (value === undefined || typeof value === 'string') return pem(value)
    return jwk(value) && { code: 'type', message: 'must be a JWK, or a text in PEM format' }
  },
  {
    json: {
      anyOf: [pem.json, jwk.json],
      description: 'A public key: a JWK (RFC 7517), or a text in PEM format',
    },
  },
)

/** A public key that is added to a client. */
export const NewKey = json.exactObject({ key: publicKey })

const origins = json.optional(
  texts,
  'Only for a public application: further origins whose pages may call the token endpoint',
)

const newClient = {
  name,
  products: optionalTexts,
  removedOperations: optionalTexts,
  expiresAt: json.optional(expiry, 'null: it never expires'),
  allowedAddresses: json.optional(
    texts,
    'IP addresses and networks, such as `203.0.113.0/24`, from which it may be used',
  ),
  jwks: json.optional(
    json.exactObject({ keys: json.array(publicKey) }),
    'Public keys with which it authenticates, instead of a secret; at most 10',
  ),
}

export const NewApiKey = json.exactObject(newClient)

export const NewApplication = json.exactObject({
  ...newClient,
  isPublic: json.optional(json.boolean, 'true: it runs in a browser or on a device, and gets no secret'),
  redirectUris: optionalTexts,
  postLogoutRedirectUris: optionalTexts,
  origins,
  ...linksOf(optionalText),
})

/** What every client can change. */
const clientChanges = {
  name: json.optional(name),
  expiresAt: json.optional(
    expiry,
    'null: it never expires. An earlier time than before revokes the tokens issued so far',
  ),
  allowedAddresses: json.optional(texts, 'A change revokes the tokens issued so far; empty: any address'),
}

export const ApiKeyChanges = json.exactObject(clientChanges)

export const ApplicationChanges = json.exactObject({
  ...clientChanges,
  redirectUris: optionalTexts,
  postLogoutRedirectUris: optionalTexts,
  origins,
  ...linksOf(json.optional(json.nullable(json.text))),
})

/** The user or account to which a client is handed over. */
export const NewOwner = json.exactObject({
  userId: json.described(json.nullable(json.text), 'null for the account'),
})

const limit = json.integer({ minimum: 1, maximum: 1_000_000_000 })

/** Limits of one client. */
export const NewLimits = json.exactObject({
  perMinute: json.optional(limit, 'API calls a minute'),
  perDay: json.optional(limit, 'API calls a day'),
})

export const Rotation = json.exactObject({
  overlapSeconds: json.optional(json.integer({ minimum: 0, maximum: OVERLAP_SECONDS.max })),
})

export const LeakedSecret = json.exactObject({
  secret: json.textOf({ minLength: 1, maxLength: MAX_KEY_LENGTH }),
  leakSource: json.optional(
    json.textOf({ maxLength: MAX_LEAK_LENGTH.source }),
    'Where the secret was found, such as `commit`',
  ),
  leakUrl: json.optional(
    json.textOf({ maxLength: MAX_LEAK_LENGTH.url }),
    'The address at which the secret was found',
  ),
})

/** The rules of bodies that have a name in the OpenAPI document. */
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
} satisfies Record<string, Rule>
