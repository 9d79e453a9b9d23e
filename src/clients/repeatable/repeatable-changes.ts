import { isRejection } from '../../errors.ts'
import type { Caller } from '../../host/caller.ts'
import type { ChangeOptions } from '../../host/change-options.ts'
import type { Client } from '../client.ts'
import type { ClientService, RotatedSecret, RotationOptions } from '../client-service-types.ts'
import { NEW_SECRET } from '../internal-options.ts'
import { hashSecret } from '../secrets.ts'
import type { Repeatable } from './idempotency.ts'
import { RepeatError } from './repeat-error.ts'

/** A change that shows a secret once. With a key, a repeat of the change gets the same answer. */
interface RepeatableChange {
  readonly repeatable: Repeatable
  readonly caller: Caller
  /** The idempotency key; undefined for a change that is made again by each repeat. */
  readonly key: string | undefined
  /** Method and path: the same key at another path is another change. */
  readonly target: string
  /** The input. The same key with other input is rejected. */
  readonly body: unknown
}

/** The client id and the hash of the secret of a new client. */
export interface DerivedCredentials {
  readonly clientId: string
  readonly secretHash: string
}

/** A new client with its secret. */
export interface CreatedClient<C extends Client> {
  readonly client: C
  readonly clientSecret: string | undefined
}

/**
 * Creates a client. With a key, a repeat finds the client that was created before, with the same secret.
 *
 * @param change.create creates the client; `derived` is undefined for random credentials
 * @throws {RepeatError}
 */
export async function createClient<C extends Client>(
  change: RepeatableChange & {
    readonly kind: C['kind']
    readonly service: Pick<ClientService<C, string, string>, 'find'>
    create(derived?: DerivedCredentials): Promise<CreatedClient<C>>
  },
): Promise<CreatedClient<C>> {
  const { repeatable, caller, key, target, body, kind, service, create } = change
  if (key === undefined) return create()

  async function find(clientId: string): Promise<C | undefined> {
    const client = await service.find(clientId)
    return client?.accountId === caller.accountId ? client : undefined
  }

  return repeatable({
    caller,
    key,
    target,
    body,
    async run({ clientId, clientSecret }) {
      const derived = { clientId: clientId(kind), secretHash: hashSecret(clientSecret) }
      try {
        return { client: (await create(derived)).client, clientSecret }
      } catch (error) {
        if (!isRejection(error)) throw error
        // An earlier attempt has created the client, and its answer was lost.
        const client = await find(derived.clientId)
        if (!client) throw error
        return { client, clientSecret }
      }
    },
    async repeat({ clientId, clientSecret }) {
      const client = await find(clientId(kind))
      if (client) return { client, clientSecret }
      throw new RepeatError('deleted', 'what this Idempotency-Key created was deleted since')
    },
  })
}

/**
 * Rotates a secret. With a key, a repeat gets the same secret and rotates nothing.
 *
 * @throws {RepeatError}
 */
export async function rotateSecret<C extends Client>(
  rotation: RepeatableChange & {
    readonly service: Pick<ClientService<C, string, string>, 'listSecrets' | 'rotateSecret'>
    readonly clientId: string
    readonly overlapSeconds: number | undefined
    readonly change: ChangeOptions
  },
): Promise<RotatedSecret> {
  const { repeatable, caller, key, target, body, service, clientId, overlapSeconds, change } = rotation
  const options: RotationOptions = { ...(overlapSeconds !== undefined && { overlapSeconds }), ...change }
  if (key === undefined) return service.rotateSecret(clientId, options)
  return repeatable({
    caller,
    key,
    target,
    body,
    async prepare() {
      const [newest] = await service.listSecrets(clientId)
      return { newestCreatedAt: newest?.createdAt }
    },
    run: ({ clientSecret }, { newestCreatedAt }) =>
      service.rotateSecret(clientId, {
        ...options,
        [NEW_SECRET]: { clientSecret, newestCreatedAt },
      } as RotationOptions),
    async repeat({ clientSecret }) {
      const [, old] = await service.listSecrets(clientId)
      return { clientSecret, oldSecretExpiresAt: old?.expiresAt }
    },
  })
}
