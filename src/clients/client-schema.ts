import {
  is,
  isCount,
  isFlag,
  isText,
  listOf,
  objectOf,
  optional,
  type Field,
  type Fields,
} from '../validation/shape.ts'

const COMMON: Fields = {
  kind: is('apiKey', 'application'),
  accountId: isText,
  userId: optional(isText),
  name: isText,
  products: listOf(isText),
  removedOperations: listOf(isText),
  disabled: isFlag,
  epoch: isCount,
  createdAt: isCount,
  resourceServer: optional(isFlag),
}

const isApiKey = objectOf({ ...COMMON, kind: is('apiKey') })

const isApplication = objectOf({
  ...COMMON,
  kind: is('application'),
  redirectUris: listOf(isText),
  postLogoutRedirectUris: listOf(isText),
  firstParty: isFlag,
  homepageUri: optional(isText),
  logoUri: optional(isText),
})

const isDeleted = objectOf({
  deleted: is(true),
  kind: is('apiKey', 'application'),
  epoch: isCount,
  deletedAt: isCount,
})

/**
 * The shape of the record of a client id. A record of another client does not match, nor does one whose secrets have
 * another form.
 */
export function clientShape(clientId: string): Field {
  const isLiving = objectOf({
    client: (value) =>
      objectOf({ clientId: is(clientId) })(value) && (isApiKey(value) || isApplication(value)),
    secrets: listOf(objectOf({ hash: isText, createdAt: isCount, expiresAt: optional(isCount) })),
    listedAt: isCount,
    partialRevocations: optional(objectOf({ since: isCount, scopes: listOf(isText) })),
  })
  return (value) => isDeleted(value) || isLiving(value)
}
