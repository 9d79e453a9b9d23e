import { clientNotFound } from '../../clients/client-id.ts'
import { FINDINGS, renewalDays, type Finding } from '../../clients/findings.ts'
import type { ClientFindings } from '../../clients/hygiene.ts'
import { ifUnchanged } from '../../clients/if-match.ts'
import { Rejection } from '../../front-door/rejection.ts'
import { apiKeyKind, applicationKind, type ClientKind } from '../clients/client-kind.ts'
import { secretView } from '../clients/new-secret-view.ts'
import { OVERLAPS } from '../clients/secret-actions.ts'
import type { Action, Call, Redirect, View } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import { FIXES, type Fix } from './finding-row.ts'

const DONE = {
  expire: 'doneExpirySaved',
  disable: 'doneClientDisabled',
  'revoke-old': 'doneOldSecretRevoked',
} as const

/** The actions of the page of an owner, or of operators. Each does one fix for one client. */
export function fixActions(services: ConsoleServices, path: string, isOperator: boolean) {
  const access = isOperator ? ('operator' as const) : ('signed-in' as const)

  /** The client that a form names, if the caller may change it. */
  async function find(call: Call, fix: Fix): Promise<ClientFindings & { kind: ClientKind }> {
    const clientId = call.form.get('clientId') ?? ''
    const found = await services.hygiene.ofClient(clientId)
    if (!found) throw clientNotFound('API key or application', clientId)
    const { kind: name } = found.client
    const kind: ClientKind = name === 'apiKey' ? apiKeyKind(services) : applicationKind(services)
    if (!isOperator) {
      await kind.service.findOwn(call.caller.accountId, clientId)
      const isOfSecret = fix === 'rotate' || fix === 'revoke-old'
      const needs = `${kind.permissions}:${isOfSecret ? 'rotate' : 'write'}` as const
      if (!(await call.may(needs, { clientId }))) throw new Rejection('forbidden', { needs })
    }
    return { ...found, kind }
  }

  async function apply(call: Call, finding: Finding): Promise<View | Redirect> {
    const fix = FIXES[finding]
    const { client, findings, kind } = await find(call, fix)
    const { clientId } = client
    const { change } = call
    const back: Redirect = { redirect: path }
    if (fix === 'rotate') {
      // Only the owner may see the secret. A repeated form shows it again, so the finding may be gone.
      if (isOperator) throw new Rejection('forbidden', { needs: `${kind.permissions}:rotate` })
      await call.requireFreshSignIn(`${kind.permissions}:rotate`)
      const rotated = await kind.service.rotateSecret(clientId, {
        overlapSeconds: OVERLAPS.day.seconds,
        idempotencyKey: call.form.get('request') ?? '',
        shownTo: call.caller.userId,
        ...change,
      })
      return secretView(call, kind, services, { client, ...rotated, isRotation: true })
    }
    // Another person may have done it already, or a program may have used the client meanwhile.
    if (!findings.includes(finding)) return back
    if (fix === 'disable') await kind.service.disable(clientId, change)
    if (fix === 'revoke-old') await kind.service.revokeSecret(clientId, 'old', change)
    if (fix === 'expire') {
      const expiresAt = Math.floor(Date.now() / 1000) + renewalDays(services.keyPolicy) * 86_400
      await kind.service.update(clientId, { expiresAt }, ifUnchanged(change, client))
    }
    return { ...back, done: DONE[fix] }
  }

  return {
    fix: {
      access,
      async run(call) {
        const finding = FINDINGS.find((each) => each === call.form.get('finding'))
        // Revoking a secret needs a confirmation, so it is an action of its own.
        if (finding === undefined || FIXES[finding] === 'revoke-old') throw new Rejection('body')
        return apply(call, finding)
      },
    },
    revokeOldSecret: {
      access,
      confirm: () => ({
        title: 'clientsRevokeOld',
        what: 'clientsRevokeOldWhat',
        button: 'clientsRevokeOld',
      }),
      run: (call) => apply(call, 'two-secrets'),
    },
  } satisfies Readonly<Record<string, Action>>
}
