import type { Context } from 'koa'
import { requesterOf } from '../../audit/entry.ts'
import type { Client } from '../../clients/client.ts'
import type { ProviderDependencies } from './dependencies.ts'

export type Reporters = Pick<ProviderDependencies, 'audit' | 'events' | 'wrongSecrets'>

/**
 * Reports one request that could not be authenticated. Beyond the bounds, a burst is one event and one entry.
 *
 * @param ctx the host's context
 * @param sent.client undefined if no client has the id that was sent
 * @param sent.isRight whether the secret is right, and the client is disabled or has expired
 * @returns the seconds after which the caller may try again; 0 if it is within the bounds
 */
export function reportWrongSecret(
  { audit, events, wrongSecrets }: Reporters,
  ctx: Context,
  sent: {
    readonly sentClientId: string | undefined
    readonly client: Client | undefined
    readonly isRight?: boolean | undefined
  },
): number {
  const { client, isRight } = sent
  const failure = { ...(client && { clientId: client.clientId }), ...requesterOf(ctx) }
  audit.reject({
    name: isRight ? 'token.rejected' : 'client_authentication.failed',
    ...(isRight && client && { reason: client.disabled ? 'client-disabled' : 'client-expired' }),
    kind: client?.kind,
    // A client with a metadata document has no account.
    accountId: client?.accountId || undefined,
    ...failure,
  })
  if (isRight) return 0
  const { waitSeconds, isFirst } = wrongSecrets.add(sent.sentClientId, ctx)
  if (waitSeconds === 0) events.emit('client_authentication.failed', failure)
  if (isFirst) events.emit('client_authentication.limited', failure)
  return waitSeconds
}
