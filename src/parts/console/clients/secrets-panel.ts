import type { ConsoleServices } from '../services.ts'
import type { Client } from '../../../clients/client.ts'
import type { People } from '../activity/people.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import type { SecretInfo } from '../../../clients/stored-secrets.ts'
import { html, type Html } from '../../../http/html.ts'
import { badge, panel } from '../elements/elements.ts'
import { radio } from '../elements/form.ts'
import { confirmLink } from '../elements/confirm.ts'
import type { Call, Confirmation, Redirect, View } from '../page-types.ts'
import { type ClientKind, type ClientPanel, backTo, trail } from './client-kind.ts'
import { randomUUID } from 'node:crypto'
import { GatehouseError } from '../../../errors.ts'
import { requireAccess } from '../../front-door/access.ts'
import { CLIENT_ACTIONS } from '../../front-door/client-actions.ts'
import { Rejection } from '../../front-door/rejection.ts'
import { rightTo } from '../../front-door/permissions-on-clients.ts'
import { runAction } from '../../front-door/run-client-action.ts'
import { actionFor, ownerOf } from './client-action-forms.ts'
import { credentialUse } from './no-token-state.ts'
import { secretView } from './new-secret-view.ts'

/** The valid secrets of a client, and the links that rotate and revoke them. */
export function secretsPanel(kind: ClientKind, services: ConsoleServices): ClientPanel {
  return {
    async show(call, { secrets, keys, people }) {
      const { texts } = call
      if (isPublicClient(call.resource)) {
        return panel(
          { title: texts.html('publicTitle'), id: 'public' },
          html`<p>${texts.html('publicText')}</p>`,
        )
      }
      const hasKey = keys.length > 0
      const mayRotate = await call.may(`${kind.permissions}:rotate`)
      const mayRemove = await call.may(`${kind.permissions}:remove`)
      const mayRevoke = (index: number) => (index === 0 ? mayRotate : mayRemove)
      return panel(
        { title: texts.html('clientsSecrets'), id: 'secrets' },
        html`${
          secrets.length === 0
            ? html`<p>${texts.html(hasKey ? 'clientsNoSecretButKey' : 'clientsNoSecret')}</p>`
            : html`<ul class="items">
                ${secrets.map((secret, index) => secretRow(call, secrets, { secret, index, mayRevoke: mayRevoke(index), hasKey, people }))}
              </ul>`
        }
        ${mayRotate && (secrets.length > 1 ? html`<p class="muted">${texts.html('clientsTwoSecrets')}</p>` : rotation(call))}`,
      )
    },
    actions: secretActions(kind, services),
  }
}

function secretRow(
  call: Call<Client>,
  { length }: readonly SecretInfo[],
  {
    secret,
    index,
    mayRevoke,
    hasKey,
    people,
  }: { secret: SecretInfo; index: number; mayRevoke: boolean; hasKey: boolean; people: People },
): Html {
  const { texts } = call
  const { createdAt, expiresAt, lastUsedAt, hint, shownTo } = secret
  const isOld = index > 0
  const until =
    expiresAt !== undefined &&
    texts.html('clientsSecretUntil', {
      time: texts.dateTime(expiresAt * 1000),
      ago: texts.relative(expiresAt),
    })
  const which = length === 1 ? 'only' : isOld ? 'old' : 'new'
  const name = length === 1 ? 'clientSecretLabel' : isOld ? 'clientsSecretOld' : 'clientsSecretNew'
  return html`<li>
    <div class="tight">
      <strong>${texts.html(name)}</strong>
      ${hint !== undefined && html`<code dir="ltr">${hint}</code>`}
      <span class="hint"
        >${texts.html('clientsSecretSince', { date: texts.date(createdAt), ago: texts.relative(createdAt) })}</span
      >
      <span class="hint">${credentialUse(call, lastUsedAt)}</span>
      ${until && html`<span class="hint">${until}</span>`}
      ${shownTo !== undefined && html`<span class="hint">${texts.html('clientsSecretShownTo', { user: people({ accountId: call.resource.accountId, userId: shownTo }) })}</span>`}
    </div>
    <div class="line">
      ${isOld ? badge(texts.html('expiresLabel'), 'warn') : badge(texts.html('clientsSecretValid'), 'good')}
      ${
        mayRevoke &&
        (length > 1 || hasKey) &&
        confirmLink(
          call,
          {
            action: 'revokeSecret',
            fields: { which, createdAt: String(createdAt) },
            style: 'slim',
          },
          texts.html(REVOCATIONS[which].texts.button),
        )
      }
    </div>
  </li>`
}

function rotation(call: Call<Client>): Html {
  const link = { action: 'rotateSecret', style: '' }
  return html`<div class="buttons">${confirmLink(call, link, call.texts.html('clientsRotate'))}</div>`
}

const OVERLAPS = {
  now: { seconds: 0, text: 'clientsOverlapNow' },
  hour: { seconds: 3600, text: 'clientsOverlapHour' },
  day: { seconds: 86_400, text: 'clientsOverlapDay' },
  week: { seconds: 604_800, text: 'clientsOverlapWeek' },
} as const

// A form revokes one of two secrets, or the only secret of a client that has a key.
const { revokeOldSecret, revokeNewSecret } = CLIENT_ACTIONS
const REVOCATIONS = {
  old: { action: revokeOldSecret, texts: revokeOldSecret.owner.texts },
  new: { action: revokeNewSecret, texts: revokeNewSecret.owner.texts },
  only: {
    action: revokeNewSecret,
    texts: {
      title: 'clientsRevokeOnly',
      what: 'clientsRevokeOldWhat',
      button: 'clientsRevokeOnly',
      done: 'doneOnlySecretRevoked',
    },
  },
} as const

function revocationOf(name: string | null | undefined) {
  return REVOCATIONS[name === 'new' || name === 'only' ? name : 'old']
}

function secretActions(kind: ClientKind, services: ConsoleServices): ClientPanel['actions'] {
  const { service } = kind

  async function rotate(call: Call<Client>): Promise<View> {
    const { resource: client, form } = call
    const overlapSeconds = overlapOf(form.get('overlap'))
    const input = { overlapSeconds, idempotencyKey: form.get('request') ?? '' }
    const rotated = await runAction(CLIENT_ACTIONS.rotateSecret, client, { ...call, parts: services, input })
    return secretView(call, kind, services, { client, ...rotated, isRotation: true })
  }

  async function rotationFields({ texts, form, resource }: Call<Client>): Promise<Html> {
    // A public application has no secret.
    if (isPublicClient(resource)) throw new Rejection('noRoute')
    const secrets = await service.listSecrets(resource.clientId)
    const chosen = form.get('overlap') ?? 'day'
    return html`<input type="hidden" name="request" value="${form.get('request') ?? randomUUID()}" /> ${
        secrets.length === 0
          ? html`<input type="hidden" name="overlap" value="day" />`
          : html`<fieldset>
              <legend>${texts.html('clientsOverlap')}</legend>
              <p class="hint">${texts.html('clientsOverlapHint')}</p>
              <ul class="choices">
                ${Object.entries(OVERLAPS).map(
                  ([name, { text }]) =>
                    html`<li>${radio('overlap', name, name === chosen, texts.html(text))}</li>`,
                )}
              </ul>
            </fieldset>`
      }`
  }

  async function revoke(call: Call<Client>): Promise<Redirect> {
    const { resource: client, form } = call
    const revocation = revocationOf(form.get('which'))
    const { action, texts } = revocation
    const { act } = action.owner
    if (act !== 'remove') await requireAccess(call, rightTo(act, client.kind))
    const secrets = await service.listSecrets(client.clientId)
    // The only secret may have got a new one meanwhile.
    const isOnly = revocation === REVOCATIONS.only
    const meant =
      isOnly === (secrets.length === 1) ? secrets[revocation === REVOCATIONS.old ? 1 : 0] : undefined
    // The form may come from an old tab: its secret may be revoked, and another secret may be in its place.
    if (String(meant?.createdAt) === form.get('createdAt'))
      await runAction(action, client, { ...call, parts: services })
    return backTo(kind, client, texts.done)
  }

  function confirm(call: Call<Client>): Confirmation {
    const { title, what, button } = revocationOf(call.query['which']).texts
    return { title, what, button, trail: trail(call, kind, call.resource) }
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
