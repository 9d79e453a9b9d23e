import type { Client } from '../clients/client.ts'
import { NEW_SECRET } from '../clients/internal-options.ts'
import type { RotatedSecret, RotationOptions } from '../clients/client-service-types.ts'
import { hashSecret } from '../clients/secrets.ts'
import { GatehouseError } from '../errors.ts'
import { ApiError } from './api-error.ts'
import type { ClientRoutesOptions } from './client-routes-options.ts'
import type { Call } from './route.ts'

/** Creates a client. With an `Idempotency-Key`, a repeat finds the client that was created before. */
export async function createClient<C extends Client, New, Changes extends { name?: string | undefined }>(
  { service, name, base, create, repeatable }: ClientRoutesOptions<C, New, Changes>,
  call: Call<New>,
): Promise<{ readonly client: C; readonly clientSecret: string | undefined }> {
  const { ctx, caller, body } = call
  const key = ctx.headers['idempotency-key']
  if (key === undefined) return create(call)
  const kind = name === 'ApiKey' ? 'apiKey' : 'application'

  async function find(clientId: string): Promise<C | undefined> {
    const client = await service.find(clientId)
    return client?.accountId === caller.accountId ? client : undefined
  }

  return repeatable({
    caller,
    key: String(key),
    target: `POST ${base}`,
    body,
    async run({ clientId, clientSecret }) {
      const derived = { clientId: clientId(kind), secretHash: hashSecret(clientSecret) }
      try {
        return { client: (await create(call, derived)).client, clientSecret }
      } catch (error) {
        if (!(error instanceof GatehouseError) || error.code !== 'ERR_CONFLICT') throw error
        // An earlier attempt has created the client, and its answer was lost.
        const client = await find(derived.clientId)
        if (!client) throw error
        return { client, clientSecret }
      }
    },
    async repeat({ clientId, clientSecret }) {
      const client = await find(clientId(kind))
      if (client) return { client, clientSecret }
      throw new ApiError('ERR_IDEMPOTENCY_KEY', 'what this Idempotency-Key created was deleted since')
    },
  })
}

/** Rotates a secret. With an `Idempotency-Key`, a repeat gets the same secret and rotates nothing. */
export async function rotateSecret<C extends Client, New, Changes extends { name?: string | undefined }>(
  { service, base, repeatable }: ClientRoutesOptions<C, New, Changes>,
  {
    ctx,
    caller,
    body,
    resource: { clientId },
    change,
  }: Call<Pick<RotationOptions, 'overlapSeconds'>, undefined, C>,
): Promise<RotatedSecret> {
  const key = ctx.headers['idempotency-key']
  if (key === undefined) return service.rotateSecret(clientId, { ...body, ...change })
  return repeatable({
    caller,
    key: String(key),
    target: `POST ${base}/${clientId}/secrets`,
    body,
    async prepare() {
      const [newest] = await service.listSecrets(clientId)
      return { newestCreatedAt: newest?.createdAt }
    },
    run: ({ clientSecret }, { newestCreatedAt }) =>
      service.rotateSecret(clientId, {
        ...body,
        ...change,
        [NEW_SECRET]: { clientSecret, newestCreatedAt },
      } as RotationOptions),
    async repeat({ clientSecret }) {
      const [, old] = await service.listSecrets(clientId)
      return { clientSecret, oldSecretExpiresAt: old?.expiresAt }
    },
  })
}
