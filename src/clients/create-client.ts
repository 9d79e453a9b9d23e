import { randomBytes } from 'node:crypto'
import { GatehouseError, invalidArgument, isRejection } from '../errors.ts'
import { newClientId } from './client-id.ts'
import type { Client, NewClient } from './client.ts'
import { expiryOfNew, policyOfNew } from './expiry-policy.ts'
import {
  type ClientRecord,
  credentialsOf,
  isDeleted,
  needsSecret,
  type ClientOrDeleted,
  withNewExpiry,
} from './client-record.ts'
import { requireFits } from './client-products.ts'
import { readGivenKeys } from './client-keys.ts'
import { type PublicKeyInput, withKeys } from './jwk-set.ts'
import type { ChangeOptions } from '../host/change-options.ts'
import { type ClientRepository, findClient } from './client-repository.ts'
import { presentClient } from './last-used.ts'
import { entryDetails } from './store-change.ts'
import type { Creation } from './field-row.ts'
import { creationRules, fieldsOf, newFields } from './rules-from-fields.ts'
import { goneSince, type Attempt } from './idempotency.ts'
import { checkInput } from '../validation/rules.ts'
import { formatSecret, hintOf } from './secret-format.ts'
import { addOwners, keepOwners } from './secret-owners.ts'
import { describeSecrets, hashSecret, hasSecretHash, type StoredSecret } from './stored-secrets.ts'

/** Input without a secret: the service generates a new secret. */
export interface WithNewSecret {
  readonly secretHash?: undefined
  readonly jwks?: undefined
}

/** Input with the hash of an existing secret, which the service imports. */
export interface WithExistingSecret {
  /** The result of `hashSecret` for the existing secret. */
  readonly secretHash: string
  readonly jwks?: undefined
}

/** Input with public keys in place of a secret: the client authenticates with `private_key_jwt`. */
export interface WithKeys {
  /**
   * The public keys: JWKs (RFC 7517) or texts in PEM format, at most 10. EC keys with the curve P-256 (ES256) and RSA
   * keys of 2048 to 4096 bits (RS256, PS256). A key without `kid` gets its thumbprint (RFC 7638). The option
   * `privateKeyJwt` is needed.
   */
  readonly jwks: { readonly keys: readonly PublicKeyInput[] }
  readonly secretHash?: undefined
}

/** Options of a creation. */
export interface CreationOptions {
  /**
   * Makes the creation repeatable for 24 hours: a repeat with the same key, `actor` and input returns the same client
   * and secret, and creates nothing. The key has 1 to 255 visible ASCII characters, for example a UUID. Do not use a
   * key for imports.
   * @default every call creates a client
   */
  readonly idempotencyKey?: string | undefined
}

export type CredentialsInput = WithNewSecret | WithExistingSecret | WithKeys

type InputWithCredentials = NewClient & CredentialsInput

/** @param headline what failed, for the error about the input */
export function newClient<C extends Client>(
  { kind, catalog, keyPolicy }: ClientRepository<C>,
  headline: string,
  input: NewClient,
): C {
  const values = Object(input) as Creation['input']
  checkInput(headline, input, creationRules({ kind, input: values, catalog: catalog.current, keyPolicy }))
  const expiresAt = expiryOfNew(policyOfNew(kind, input, keyPolicy), input.expiresAt)
  // Field by field, as the rules read the input: it may have fields that no spread finds, such as getters.
  const given = Object.entries(fieldsOf(kind)).filter(([, field]) => field.setBy)
  const fields = newFields(kind, {
    ...Object.fromEntries(given.map(([name]) => [name, values[name]])),
    createdBy: input.createdBy ?? input.userId,
    clientId: input.clientId ?? newClientId(kind),
    createdAt: Math.floor(Date.now() / 1000),
    expiresAt,
    expiresByDefault: expiresAt !== undefined && input.expiresAt === undefined,
    // `createClient` adds the keys when they are read.
    jwks: undefined,
  })
  return { kind, ...fields } as unknown as C
}

function credentialsOfNew(
  client: Client,
  { secretHash }: CredentialsInput,
  attempt: Attempt | undefined,
  prefix: string,
): { readonly hash: string | undefined; readonly clientSecret: string | undefined } {
  if (!needsSecret(client)) return { hash: undefined, clientSecret: undefined }
  if (secretHash !== undefined) return { hash: secretHash, clientSecret: undefined }
  const clientSecret = attempt?.clientSecret ?? formatSecret(randomBytes(32), prefix)
  return { hash: hashSecret(clientSecret), clientSecret }
}

/**
 * Creates a client, within `maxClientsPerAccount`, with its first secret. A public application, and a client with keys,
 * gets none. An earlier attempt with the same idempotency key may have created the client.
 */
export async function createClient<C extends Client>(
  clients: ClientRepository<C>,
  created: C,
  input: InputWithCredentials,
  options: CreationOptions,
): Promise<{ client: C; clientSecret: string | undefined }> {
  requireOneCredential(input)
  const keys = input.jwks ? await readGivenKeys(clients, input.jwks) : []
  const attempt = await beginAttempt(clients, input, options)
  const client = withKeys(attempt ? { ...created, clientId: attempt.clientId(clients.kind) } : created, keys)
  const { hash, clientSecret } = credentialsOfNew(client, input, attempt, clients.secretPrefix)
  if (attempt?.isRepeat) return { client: await requireCreated(clients, client, hash), clientSecret }
  try {
    requireFits(client, clients.catalog.current, clients.otherScopes)
    const shownTo = clientSecret === undefined ? undefined : client.createdBy
    const hint = clientSecret === undefined ? undefined : hintOf(clientSecret)
    const secrets = hash === undefined ? [] : [{ hash, createdAt: client.createdAt, shownTo, hint }]
    await insert(clients, client, secrets, input)
    await attempt?.complete()
    return { client: { ...client, ...describeSecrets(secrets, false) }, clientSecret }
  } catch (error) {
    if (!attempt || !isRejection(error)) throw error
    // An earlier attempt may have created the client although its answer was lost.
    const earlier = await findClient(clients, client.clientId)
    await (earlier ? attempt.complete() : attempt.reject())
    if (earlier) return { client: await requireCreated(clients, client, hash), clientSecret }
    throw error
  } finally {
    attempt?.end()
  }
}

function requireOneCredential({ secretHash, jwks }: CredentialsInput): void {
  if (secretHash === undefined || jwks === undefined) return
  const message = 'cannot be used with secretHash: create the client with the secret, and call addKey'
  throw invalidArgument('jwks', { code: 'not-allowed', message })
}

async function beginAttempt(
  { kind, idempotency }: Pick<ClientRepository<Client>, 'kind' | 'idempotency'>,
  { actor, address: _address, userAgent: _userAgent, ...input }: InputWithCredentials,
  { idempotencyKey: key }: CreationOptions,
): Promise<Attempt | undefined> {
  if (key === undefined) return undefined
  // An import needs no idempotency key, because its client id makes it repeatable.
  if (input.clientId !== undefined || input.secretHash !== undefined) {
    const message = 'cannot be used with clientId or secretHash'
    throw invalidArgument('idempotencyKey', { code: 'not-allowed', message })
  }
  const what = ['create', kind, input.accountId, input.userId, actor]
  return idempotency.begin({ key, what, input })
}

async function insert<C extends Client>(
  clients: ClientRepository<C>,
  client: C,
  secrets: readonly StoredSecret[],
  options: ChangeOptions,
): Promise<void> {
  const { records, commits } = clients
  const { kind, clientId, accountId } = client
  // `listedAt` is later than that of the previous client, so that lists have the order of creation in this process.
  clients.lastListedAt = Math.max(Date.now(), clients.lastListedAt + 1)
  const record: ClientRecord<C> = withNewExpiry({ client, secrets, listedAt: clients.lastListedAt })
  const credentials = credentialsOf(record)
  const added = addOwners(clients, clientId, credentials)
  // The client is listed first, so concurrent creations cannot exceed the maximum.
  const ready = Promise.all([added, records.list(clientId, record)]).then(() =>
    requireRoom(clients, accountId),
  )
  const made = commits.commit<ClientOrDeleted<C>>({
    ready,
    record: records.creatable(clientId),
    write(found) {
      if (found) throw idTaken(clientId, found)
      return record
    },
    entry: () => ({ name: 'client.created', ...entryDetails(client, options) }),
    event: () => ['client.created', { kind, clientId, accountId, actor: options.actor }],
  })
  try {
    await keepOwners(clients, clientId, credentials, added, made)
  } catch (error) {
    // A client that was created in the same millisecond may have the same index entries, which stay.
    if (isRejection(error)) await records.unlist(clientId, record, await records.get(clientId))
    throw error
  }
}

function idTaken(clientId: string, found: ClientOrDeleted): GatehouseError {
  const why = isDeleted(found)
    ? 'belonged to a client that was deleted, so no other client can have it; choose another client id'
    : 'is taken'
  return new GatehouseError('ERR_CONFLICT', `the client id "${clientId}" ${why}`)
}

/** The option `maxClientsPerAccount`. */
export const CLIENTS_PER_ACCOUNT = { byDefault: 500, max: 100_000 }

async function requireRoom(
  { index, maxClientsPerAccount: max }: Pick<ClientRepository<Client>, 'index' | 'maxClientsPerAccount'>,
  accountId: string,
): Promise<void> {
  if ((await index.count(accountId, max + 1)) <= max) return
  throw new GatehouseError(
    'ERR_TOO_MANY_CLIENTS',
    `an account may have at most ${max} API keys and applications (maxClientsPerAccount). First delete one that is not used any more`,
  )
}

/** @throws {GatehouseError} `ERR_IDEMPOTENCY_KEY` if the client was deleted, or its secret was revoked */
async function requireCreated<C extends Client>(
  clients: ClientRepository<C>,
  { clientId }: C,
  hash: string | undefined,
): Promise<C> {
  const record = await clients.records.get(clientId)
  if (!record) throw goneSince('client')
  if (hash !== undefined && !hasSecretHash(record.secrets, hash)) throw goneSince('secret')
  return presentClient(clients, record)
}
