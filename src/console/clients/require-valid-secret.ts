import { RepeatError } from '../../clients/repeatable/repeat-error.ts'
import type { ClientKind } from './client-kind.ts'

/**
 * Rejects a form that was sent again after all secrets of its client were revoked. The page would show a secret that no
 * longer works as a new one.
 *
 * @throws {RepeatError}
 */
export async function requireValidSecret(
  { service }: Pick<ClientKind, 'service'>,
  clientId: string,
): Promise<void> {
  const secrets = await service.listSecrets(clientId)
  if (secrets.length === 0) throw new RepeatError('deleted', 'the secret of this form was revoked since')
}
