import type { ConsoleServices } from '../services.ts'
import { randomUUID } from 'node:crypto'
import { GatehouseError } from '../../../errors.ts'
import type { Client } from '../../../clients/client.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import { requireAccess } from '../../front-door/access.ts'
import { CLIENT_ACTIONS } from '../../front-door/client-actions.ts'
import { Rejection } from '../../front-door/rejection.ts'
import { NO_INPUT, runAction } from '../../front-door/run-action.ts'
import { html, type Html } from '../../../http/html.ts'
import type { Call, Confirmation, Redirect, View } from '../page-types.ts'
import type { TextName } from '../texts.ts'
import { actionFor, ownerOf } from './act-on-client.ts'
import { backTo, trail, type ClientKind, type ClientPanel } from './client-kind.ts'
import { secretView } from './new-secret-view.ts'

/** The choices of the form for how long the old secret stays valid. */
const OVERLAPS = {
  now: { seconds: 0, text: 'clientsOverlapNow' },
  hour: { seconds: 3600, text: 'clientsOverlapHour' },
  day: { seconds: 86_400, text: 'clientsOverlapDay' },
  week: { seconds: 604_800, text: 'clientsOverlapWeek' },
} as const

/** Which of the valid secrets a form revokes: one of two, or the only secret of a client that has a key. */
export const REVOCATIONS = {
  old: {
    age: 'old',
    button: 'clientsRevokeOld',
    what: 'clientsRevokeOldWhat',
    done: 'doneOldSecretRevoked',
  },
  new: { age: 'new', button: 'clientsRevokeNew', what: 'clientsRevokeNewWhat', done: 'doneRotationUndone' },
  only: {
    age: 'new',
    button: 'clientsRevokeOnly',
    what: 'clientsRevokeOldWhat',
    done: 'doneOnlySecretRevoked',
  },
} as const

function revocationOf(name: string | null | undefined) {
  return REVOCATIONS[name === 'new' || name === 'only' ? name : 'old']
}

/** What the forms for secrets do. */
export function secretActions(kind: ClientKind, services: ConsoleServices): ClientPanel['actions'] {
  const { service } = kind

  async function rotate(call: Call<Client>): Promise<View> {
    const { resource: client, form } = call
    const overlapSeconds = overlapOf(form.get('overlap'))
    const input = { ...NO_INPUT, overlapSeconds, idempotencyKey: form.get('request') ?? '' }
    const rotated = await runAction(CLIENT_ACTIONS.rotateSecret, client, { ...call, parts: services, input })
    return secretView(call, kind, services, { client, ...rotated, isRotation: true })
  }

  /** The choice of how long the old secret stays valid, if there is one. */
  async function rotationFields({ texts, form, resource }: Call<Client>): Promise<Html> {
    // A public application has no secret.
    if (isPublicClient(resource)) throw new Rejection('noRoute')
    const secrets = await service.listSecrets(resource.clientId)
    const chosen = form.get('overlap') ?? 'day'
    const choice = (name: string, text: TextName) =>
      html`<li>
        <label class="choice"
          ><input type="radio" name="overlap" value="${name}" ${name === chosen && 'checked'} /><span
            >${texts.html(text)}</span
          ></label
        >
      </li>`
    return html`<input type="hidden" name="request" value="${form.get('request') ?? randomUUID()}" /> ${
        secrets.length === 0
          ? html`<input type="hidden" name="overlap" value="day" />`
          : html`<fieldset>
              <legend>${texts.html('clientsOverlap')}</legend>
              <p class="hint">${texts.html('clientsOverlapHint')}</p>
              <ul class="choices">
                ${Object.entries(OVERLAPS).map(([name, { text }]) => choice(name, text))}
              </ul>
            </fieldset>`
      }`
  }

  async function revoke(call: Call<Client>): Promise<Redirect> {
    const { resource: client, change, form } = call
    const revocation = revocationOf(form.get('which'))
    const { age, done } = revocation
    // The old secret of a rotation that is undone never expires again. The only secret may have got a new one
    // meanwhile.
    if (age === 'new') await requireAccess(call, `${kind.permissions}:rotate`)
    const secrets = await service.listSecrets(client.clientId)
    const isOnly = revocation === REVOCATIONS.only
    const meant = isOnly === (secrets.length === 1) ? secrets[age === 'new' ? 0 : 1] : undefined
    // The form may come from an old tab: its secret may be revoked, and another secret may be in its place.
    if (String(meant?.createdAt) === form.get('createdAt')) {
      await service.revokeSecret(client.clientId, age, change)
    }
    return backTo(kind, client, done)
  }

  function confirm(call: Call<Client>): Confirmation {
    const { button, what } = revocationOf(call.query['which'])
    return { title: button, what, button, trail: trail(call, kind, call.resource) }
  }

  const rotation = actionFor('rotateSecret', services, ownerOf(kind))
  const rotateSecret = { ...rotation, fields: rotationFields, run: rotate }
  const revokeSecret = { access: `${kind.permissions}:remove` as const, confirm, run: revoke }
  return { rotateSecret, revokeSecret }
}

function overlapOf(name: string | null): number {
  if (name !== null && Object.hasOwn(OVERLAPS, name)) return OVERLAPS[name as keyof typeof OVERLAPS].seconds
  const message = `must be one of ${Object.keys(OVERLAPS).join(', ')}`
  throw new GatehouseError('ERR_INVALID_ARGUMENT', `overlap ${message}`, {
    problems: [{ path: 'overlap', code: 'choice', message }],
  })
}
