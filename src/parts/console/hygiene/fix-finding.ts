import { isGatewayKey } from '../../../clients/client.ts'
import { clientNotFound } from '../../../clients/client-id.ts'
import { FINDINGS, renewalDays } from '../../../clients/findings.ts'
import { ifUnchanged } from '../../../clients/if-match.ts'
import { requireAccess } from '../../front-door/access.ts'
import { Rejection } from '../../front-door/rejection.ts'
import { kindOf } from '../clients/client-kind.ts'
import type { Action, Call, Redirect } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import { cursorOf, fixOf, rightOf, type Fix } from './finding-row.ts'

/** What this page does itself. A new secret has a page of its own. */
type FixHere = Exclude<Fix, 'rotate'>

const DONE = {
  expire: 'doneExpirySaved',
  disable: 'doneClientDisabled',
  'revoke-old': 'doneOldSecretRevoked',
} as const

/** The actions of the page for owners, or of the page for operators. Each action does one fix for one client. */
export function fixActions(services: ConsoleServices, path: string, isOperator: boolean) {
  const access = isOperator ? ('operator' as const) : ('signed-in' as const)

  async function apply(call: Call, fix: FixHere): Promise<Redirect> {
    const clientId = call.form.get('clientId') ?? ''
    const found = await services.hygiene.ofClient(clientId, isOperator ? undefined : call.caller.accountId)
    if (!found) throw clientNotFound('API key or application', clientId)
    const kind = kindOf(services, found.client)
    const needs = rightOf(fix, kind, found.client, services.keyPolicy)
    if (!isOperator) await requireAccess(call, needs, found.client)
    const finding = found.findings.find((each) => each === call.form.get('finding'))
    const back: Redirect = { redirect: path, query: { cursor: cursorOf(call) } }
    // The finding may be gone: another person has fixed it, or a program has used the client.
    if (finding === undefined || fixOf(finding, found) !== fix) return back
    if (fix === 'disable') await kind.service.disable(clientId, call.change)
    if (fix === 'revoke-old') await kind.service.revokeSecret(clientId, 'old', call.change)
    if (fix === 'expire') {
      const renewed = Math.floor(Date.now() / 1000) + renewalDays(services.keyPolicy) * 86_400
      const expiresAt = isGatewayKey(found.client) ? null : renewed
      await kind.service.update(clientId, { expiresAt }, ifUnchanged(call.change, found.client))
    }
    return { ...back, done: DONE[fix] }
  }

  return {
    fix: {
      access,
      async run(call) {
        const fix = call.form.get('fix')
        const isKnown = FINDINGS.some((each) => each === call.form.get('finding'))
        if (isKnown && (fix === 'expire' || fix === 'disable')) return apply(call, fix)
        throw new Rejection('body')
      },
    },
    // This fix needs a confirmation, so it is an action of its own.
    revokeOldSecret: {
      access,
      confirm: () => ({
        title: 'clientsRevokeOld',
        what: 'clientsRevokeOldWhat',
        button: 'clientsRevokeOld',
      }),
      run: (call) => apply(call, 'revoke-old'),
    },
  } satisfies Readonly<Record<string, Action>>
}
