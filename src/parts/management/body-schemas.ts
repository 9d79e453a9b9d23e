import { OVERLAP_SECONDS } from '../../clients/secret-rotation.ts'
import { MAX_KEY_LENGTH } from '../../clients/jwk-set.ts'
import type { PublicKeyInput } from '../../clients/client-inputs.ts'
import { MAX_LEAK_LENGTH } from '../../host/change-options.ts'
import * as json from '../../validation/json-rules.ts'
import { MAX_NAME_LENGTH, ruleWith, type Rule } from '../../validation/rules.ts'

const text = json.text
const optional = json.optional

// What callers send.

const optionalText = optional(text)
const texts = json.array(text)
const optionalTexts = optional(texts)
const name = json.textOf({ minLength: 1, maxLength: MAX_NAME_LENGTH })

/** The links that the consent page shows for an application. */
export function linksOf<Link>(link: Link) {
  return { homepageUri: link, logoUri: link, privacyUri: link, termsUri: link }
}

const expiry = json.nullable(json.described(json.time, 'When it expires, such as `2026-07-01T00:00:00Z`'))

const pem = json.textOf({ maxLength: MAX_KEY_LENGTH })
const jwk = json.object({
  kty: text,
  kid: optionalText,
  use: optionalText,
  alg: optionalText,
  crv: optionalText,
  x: optionalText,
  y: optionalText,
  n: optionalText,
  e: optionalText,
})

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

const origins = optional(
  texts,
  'Only for a public application: further origins whose pages may call the token endpoint',
)

const newClient = {
  name,
  products: optionalTexts,
  removedOperations: optionalTexts,
  expiresAt: optional(expiry, 'null: it never expires'),
  allowedAddresses: optional(
    texts,
    'IP addresses and networks, such as `203.0.113.0/24`, from which it may be used',
  ),
  jwks: optional(
    json.exactObject({ keys: json.array(publicKey) }),
    'Public keys with which it authenticates, instead of a secret; at most 10',
  ),
}

const clientChanges = {
  name: optional(name),
  expiresAt: optional(
    expiry,
    'null: it never expires. An earlier time than before revokes the tokens issued so far',
  ),
  allowedAddresses: optional(texts, 'A change revokes the tokens issued so far; empty: any address'),
}

const limit = json.integer({ minimum: 1, maximum: 1_000_000_000 })

/** The rules of bodies, each with its name in the OpenAPI document. The services check the values further. */
export const BODIES = {
  NewApiKey: json.exactObject(newClient),
  ApiKeyChanges: json.exactObject(clientChanges),
  NewApplication: json.exactObject({
    ...newClient,
    isPublic: optional(json.boolean, 'true: it runs in a browser or on a device, and gets no secret'),
    redirectUris: optionalTexts,
    postLogoutRedirectUris: optionalTexts,
    origins,
    ...linksOf(optionalText),
  }),
  ApplicationChanges: json.exactObject({
    ...clientChanges,
    redirectUris: optionalTexts,
    postLogoutRedirectUris: optionalTexts,
    origins,
    ...linksOf(optional(json.nullable(text))),
  }),
  NewKey: json.exactObject({ key: publicKey }),
  NewOwner: json.exactObject({
    userId: json.described(json.nullable(text), 'null for the account'),
  }),
  NewLimits: json.exactObject({
    perMinute: optional(limit, 'API calls a minute'),
    perDay: optional(limit, 'API calls a day'),
  }),
  Rotation: json.exactObject({
    overlapSeconds: optional(json.integer({ minimum: 0, maximum: OVERLAP_SECONDS.max })),
  }),
  LeakedSecret: json.exactObject({
    secret: json.textOf({ minLength: 1, maxLength: MAX_KEY_LENGTH }),
    leakSource: optional(
      json.textOf({ maxLength: MAX_LEAK_LENGTH.source }),
      'Where the secret was found, such as `commit`',
    ),
    leakUrl: optional(
      json.textOf({ maxLength: MAX_LEAK_LENGTH.url }),
      'The address at which the secret was found',
    ),
  }),
} satisfies Record<string, Rule>
