import * as v from 'valibot'
import { secondsAsTime } from './times.ts'

const text = v.string()

const lastUsedAt = v.optional(
  v.pipe(secondsAsTime, v.description('When a program last authenticated with it, to the hour')),
)

const Secret = v.object({
  createdAt: secondsAsTime,
  expiresAt: v.optional(secondsAsTime),
  lastUsedAt,
  hint: v.optional(
    v.pipe(text, v.description('Its beginning and its last four characters; absent if it was imported')),
  ),
  shownTo: v.optional(v.pipe(text, v.description('The user to whom it was shown'))),
})

const Key = v.object({
  kid: text,
  kty: v.picklist(['EC', 'RSA']),
  alg: v.optional(
    v.pipe(text, v.description('The only algorithm of the key; absent if all of its type are allowed')),
  ),
  createdAt: secondsAsTime,
  lastUsedAt,
})

/** The secret in the answer to a creation. */
export const secretOfNew = v.optional(
  v.pipe(
    text,
    v.description('Absent for a public application, and for a client that is created with `jwks`'),
  ),
)

/** The schemas of answers about secrets and keys, each with its name in the OpenAPI document. */
export const CREDENTIAL_ANSWERS = {
  RotatedSecret: v.object({ clientSecret: text, oldSecretExpiresAt: v.optional(secondsAsTime) }),
  SecretList: v.object({ items: v.array(Secret) }),
  KeyList: v.object({ items: v.array(Key) }),
  ReportedSecret: v.object({
    kind: v.picklist(['apiKey', 'application']),
    clientId: text,
    wasValid: v.pipe(v.boolean(), v.description('Whether the secret or key was valid until now')),
  }),
} satisfies Record<string, v.GenericSchema>
