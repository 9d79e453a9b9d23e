import type { FoundSecret } from '../../clients/leaked-secrets.ts'
import { GatehouseError } from '../../errors.ts'
import { requireAccess } from '../front-door/access.ts'
import { rightTo } from '../front-door/permissions-on-clients.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import { BODIES } from './body-schemas.ts'
import type { ValueOf } from '../../validation/rules.ts'
import { route, type Call, type Route } from './route.ts'

type LeakCall = Call<ValueOf<typeof BODIES.LeakedSecret>>

/** The routes that take a leaked secret, for owners and for operators. */
export function leakedSecretRoutes({ secrets }: Pick<Internals, 'secrets'>): Route[] {
  async function report({ body, change }: LeakCall, found: FoundSecret) {
    const { secret, ...leak } = body
    await secrets.revoke(found, secret, { ...change, ...leak })
    return { kind: found.kind, clientId: found.clientId, wasValid: found.isValid }
  }

  const common = {
    body: BODIES.LeakedSecret,
    answer: 'ReportedSecret',
    description:
      'The secret, or the private key (a JWK as text, or PEM), and all access tokens of its client are revoked. If it is not valid any more, only the access tokens are revoked. A repeated report changes nothing. The answer and the audit trail never have the secret.',
  } as const
  return [
    route({
      ...common,
      path: 'post /secrets/report-leaked',
      operationId: 'reportLeakedSecret',
      tag: 'Secrets',
      summary: 'Find the client of the account to which a leaked secret belongs, and revoke the secret',
      access: 'signed-in',
      errors: ['ERR_FORBIDDEN', 'ERR_NOT_FOUND'],
      async handle(call) {
        const found = await secrets.findIn(call.caller.accountId, call.body.secret)
        // A secret of another account gets the same answer as an unknown secret.
        if (!found) throw unknownSecret('of this account ')
        for (const { kind, clientId, client } of [found, ...(found.others ?? [])]) {
          await requireAccess(call, rightTo('report', kind), client ?? { clientId })
        }
        return report(call, found)
      },
    }),
    route({
      ...common,
      path: 'post /operator/secrets/report-leaked',
      operationId: 'reportLeakedSecretOfAnyAccount',
      tag: 'Operators',
      summary: 'Find the client to which a leaked secret belongs, and revoke the secret',
      access: 'operator',
      errors: ['ERR_NOT_FOUND'],
      async handle(call) {
        const found = await secrets.find(call.body.secret)
        if (!found) throw unknownSecret('')
        return report(call, found)
      },
    }),
  ]
}

function unknownSecret(whose: string): GatehouseError {
  return new GatehouseError('ERR_NOT_FOUND', `no API key or application ${whose}has or had this secret`)
}
