import { collectProblems, GatehouseError, invalidArgument, type Fault } from '../errors.ts'
import { checkChange } from '../host/change-options.ts'
import { checkInput, stringRule } from '../validation/rules.ts'
import type { Client } from './client.ts'
import { identityOf, keysOf, MAX_KEYS, type PublicJwk, type PublicKeyInput, withKeys } from './jwk-set.ts'
import type { ClientService, KeyInfo } from './client-service-types.ts'
import { type ClientRepository, requireRecord } from './client-repository.ts'
import { changeRecord } from './store-change.ts'
import { requireConfidential } from './public-applications.ts'
import { lastUseSince, presentClient } from './last-used.ts'
import { isLive } from './stored-secrets.ts'

type Parts = Pick<ClientRepository<Client>, 'loadPublicKeys' | 'secretOwners'>

/** @throws {GatehouseError} `ERR_INVALID_ARGUMENT` */
export async function readGivenKeys(parts: Parts, jwks: { readonly keys: readonly PublicKeyInput[] }) {
  const read = await readKeys(parts, jwks.keys, (index) => `jwks.keys[${index}]`)
  const ids = new Set(read.map(({ kid }) => kid))
  const pairs = new Set(read.map(identityOf))
  if (ids.size < read.length)
    throw invalidKey('jwks', { code: 'duplicate', message: 'has two keys with the same id (kid)' })
  if (pairs.size < read.length)
    throw invalidKey('jwks', { code: 'duplicate', message: 'has the same key twice' })
  await Promise.all(read.map((key, index) => requireNotLeaked(parts, key, `jwks.keys[${index}]`)))
  return read
}

async function requireNotLeaked({ secretOwners }: Parts, key: PublicJwk, path: string): Promise<void> {
  const owners = await secretOwners.findOfKey(identityOf(key))
  if (owners.some(({ reported }) => reported)) throw invalidKey(path, LEAKED)
}

const LEAKED: Fault = {
  code: 'key-leaked',
  message: 'belongs to a private key that was reported as leaked: create a new pair',
}

/** No message quotes a key. @param pathOf of each key @throws {GatehouseError} `ERR_INVALID_ARGUMENT` */
export async function readKeys(
  { loadPublicKeys }: Pick<Parts, 'loadPublicKeys'>,
  given: readonly PublicKeyInput[],
  pathOf: (index: number) => string,
): Promise<PublicJwk[]> {
  if (!loadPublicKeys) throw invalidKey(pathOf(0), NOT_ENABLED)
  const { readPublicKey } = await loadPublicKeys()
  const now = Math.floor(Date.now() / 1000)
  const problems = collectProblems('ERR_INVALID_ARGUMENT', 'the key cannot be used')
  const read = given.map((key) => readPublicKey(key, now))
  read.forEach((key, index) => 'message' in key && problems.add(pathOf(index), key))
  problems.throwIfAny()
  return read as PublicJwk[]
}

const NOT_ENABLED: Fault = {
  code: 'not-allowed',
  message: 'needs the option privateKeyJwt of createGatehouse',
}

/** Adds, removes and lists public keys of clients; one that leaked is rejected, and the last credential stays. */
export function createKeyMethods<C extends Client>(
  clients: ClientRepository<C>,
): Pick<ClientService<C, string, string>, 'addKey' | 'removeKey' | 'listKeys'> {
  return {
    async addKey(clientId, given, options) {
      checkChange('key.added', options)
      const [key] = await readKeys(clients, [given], () => 'key')
      if (!key) throw new TypeError('one key was read')
      await requireNotLeaked(clients, key, 'key')
      const credentials = [identityOf(key)]
      const what = { clientId, name: 'key.added', target: key.kid, options, credentials }
      const changed = await changeRecord(clients, what, ({ client, ...others }) => {
        requireConfidential(client)
        const keys = keysOf(client)
        const known = keys.find((each) => identityOf(each) === identityOf(key))
        if (known?.kid === key.kid) return undefined
        if (known) {
          const message = `the client has this key already, with the id "${known.kid}"`
          throw conflict(message, 'is a key of the client already')
        }
        if (keys.some(({ kid }) => kid === key.kid)) {
          const message = `another key of the client has the id "${key.kid}"; give the new key another kid`
          throw conflict(message, 'has the id of another key: give it another kid')
        }
        if (keys.length >= MAX_KEYS) throw invalidKey('key', TOO_MANY)
        return { ...others, client: withKeys(client, [key, ...keys]) }
      })
      return presentClient(clients, changed)
    },

    async removeKey(clientId, kid, options) {
      checkInput('the key cannot be removed', { kid }, { kid: stringRule })
      const what = { clientId, name: 'key.removed', target: kid, options }
      const changed = await changeRecord(clients, what, ({ client, secrets, ...others }) => {
        const kept = keysOf(client).filter((key) => key.kid !== kid)
        if (kept.length === keysOf(client).length) return undefined
        const now = Date.now()
        if (kept.length === 0 && !secrets.some((secret) => isLive(secret, now))) throw lastKey()
        return { ...others, secrets, client: withKeys(client, kept) }
      })
      return presentClient(clients, changed)
    },

    async listKeys(clientId) {
      const { client } = await requireRecord(clients, clientId)
      const keys = keysOf(client)
      const uses = await clients.secretUses.get(keys.map(identityOf))
      return keys.map(({ kid, kty, alg, iat }, at): KeyInfo => {
        const lastUsedAt = lastUseSince(iat, uses[at])
        return { kid, kty, alg, createdAt: iat, lastUsedAt }
      })
    },
  }
}

const TOO_MANY: Fault = {
  code: 'too-many',
  message: `is one too many: the client has ${MAX_KEYS} keys; remove one first`,
  max: MAX_KEYS,
}

function invalidKey(path: string, fault: Fault): GatehouseError {
  return invalidArgument(path, fault, 'the key cannot be used: ')
}

function conflict(message: string, problem: string): GatehouseError {
  const problems = [{ path: 'key', code: 'duplicate', message: problem } as const]
  return new GatehouseError('ERR_CONFLICT', message, { problems })
}

function lastKey(): GatehouseError {
  return new GatehouseError(
    'ERR_ONE_SECRET',
    'the client has no other key and no secret: add a key first, or disable the client',
  )
}
