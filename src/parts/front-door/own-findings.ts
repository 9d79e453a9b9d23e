import type { Hygiene, HygieneOptions, HygienePage } from '../../clients/hygiene.ts'
import { KINDS } from '../../clients/client-index.ts'
import type { Visit } from './access.ts'
import { rightTo } from './permissions-on-clients.ts'
import { Rejection } from './rejection.ts'

/** Lists the account's clients that need attention. @throws {Rejection} `forbidden` without a right */
export async function listOwnFindings(
  hygiene: Pick<Hygiene, 'list'>,
  { caller, may }: Pick<Visit, 'caller' | 'may'>,
  options: Omit<HygieneOptions, 'accountId'>,
): Promise<HygienePage> {
  const kinds = options.kind === undefined ? KINDS : [options.kind]
  const allowed = await Promise.all(kinds.map((kind) => may(rightTo('read', kind))))
  const [kind, other] = kinds.filter((_, at) => allowed[at])
  if (kind === undefined) throw new Rejection('forbidden', { needs: rightTo('read', kinds[0] ?? 'apiKey') })
  const { accountId } = caller
  return hygiene.list({ ...options, accountId, ...(other === undefined && { kind }) })
}
