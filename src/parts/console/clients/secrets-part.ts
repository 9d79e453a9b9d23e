import type { ConsoleServices } from '../services.ts'
import type { Client } from '../../../clients/client.ts'
import { findPeople, type People } from '../activity/people.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import { OVERLAP_SECONDS } from '../../../clients/secret-rotation.ts'
import type { SecretInfo } from '../../../clients/stored-secrets.ts'
import { html, type Html } from '../../../http/html.ts'
import { badge, notice, panel } from '../elements/elements.ts'
import { hidden, radio } from '../elements/form.ts'
import { confirmLink } from '../elements/confirm.ts'
import type { Call, Confirmation, Redirect, View } from '../page-types.ts'
import { credentialsOf, trail, type ClientKind, type ClientPart } from './client-kind.ts'
import { randomUUID } from 'node:crypto'
import { invalidArgument } from '../../../errors.ts'
import { requireAccess } from '../../front-door/access.ts'
import { CLIENT_ACTIONS } from '../../front-door/client-actions.ts'
import { Rejection } from '../../front-door/rejection.ts'
import { rightTo } from '../../front-door/permissions-on-clients.ts'
import { runAction } from '../../front-door/run-client-action.ts'
import { actionFor, actionList, actionsFor, ownerOf, type Viewer } from './client-action-forms.ts'
import { addKeyAction, keysPanel, type MayChange } from './keys-panel.ts'
import { useFacts } from './client-use.ts'
import { credentialUse } from './no-token-state.ts'
import { secretView } from './new-secret-view.ts'

/** The valid secrets and keys of a client, rotation with a chosen overlap, and what revokes them. */
export function secretsPart(viewer: Viewer, services: ConsoleServices): ClientPart {
  const { kind } = viewer
  return {
    path: '/secrets',
    title: 'secretsAndKeysTitle',
    isShown: ({ resource }) => !isPublicClient(resource),
    async show(call) {
      if (isPublicClient(call.resource)) throw new Rejection('noRoute')
      const [found, mayRotate, mayRemove] = await Promise.all([
        credentialsOf(services, call.resource),
        viewer.may(call, 'rotate'),
        viewer.may(call, 'remove'),
      ])
      const may = { mayRotate, mayRemove }
      return html`${await secretsPanel(call, services, { ...found, ...may })}
      ${keysPanel(call, services, { ...found, ...may })} ${await actionList(call, viewer, 'secrets')}`
    },
    actions: {
      ...actionsFor(viewer, services, ['removeKey', 'reportCompromised']),
      ...(kind && secretActions(kind, services)),
      ...(kind && { addKey: addKeyAction(kind, services) }),
    },
  }
}

async function secretsPanel(
  call: Call<Client>,
  { accounts }: ConsoleServices,
  { secrets, keys, mayRotate, mayRemove }: MayChange,
): Promise<Html> {
  const { texts, resource } = call
  const { accountId } = resource
  const userIds = secrets.flatMap(({ shownTo }) => shownTo ?? [])
  const known = userIds.map((userId) => ({ accountId, userId }))
  const people = await findPeople(accounts, known)
  const hasKey = keys.length > 0
  const mayRevoke = (index: number) => (index === 0 ? mayRotate : mayRemove)
  const isNewUnused = secrets.length > 1 && secrets[0]?.lastUsedAt === undefined
  return panel(
    { title: texts.html('clientsSecrets'), id: 'secrets' },
    html`${isNewUnused && notice('warn', texts.html('clientsNewSecretUnused'))}
    ${
      secrets.length === 0
        ? html`<p>${texts.html(hasKey ? 'clientsNoSecretButKey' : 'clientsNoSecret')}</p>`
        : html`<ul class="items">
            ${secrets.map((secret, index) => secretRow(call, secrets, { secret, index, mayRevoke: mayRevoke(index), hasKey, people }))}
          </ul>`
    }
    ${mayRotate && (secrets.length > 1 ? html`<p class="muted">${texts.html('clientsTwoSecrets')}</p>` : rotation(call))}`,
  )
}

type Row = { secret: SecretInfo; index: number; mayRevoke: boolean; hasKey: boolean; people: People }

function secretRow(call: Call<Client>, { length }: readonly SecretInfo[], row: Row): Html {
  const { texts } = call
  const { secret, index, mayRevoke, hasKey, people } = row
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
const [DEFAULT = 'day'] =
  Object.entries(OVERLAPS).find(([, { seconds }]) => seconds === OVERLAP_SECONDS.byDefault) ?? []

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

function secretActions(kind: ClientKind, services: ConsoleServices): ClientPart['actions'] {
  const { service } = kind

  async function rotate(call: Call<Client>): Promise<View> {
    const { resource: client, form } = call
    const overlapSeconds = overlapOf(form.get('overlap'))
    const input = { overlapSeconds, idempotencyKey: form.get('request') ?? '' }
    const rotated = await runAction(CLIENT_ACTIONS.rotateSecret, client, { ...call, parts: services, input })
    return secretView(call, kind, services, { client, ...rotated, isRotation: true })
  }

  async function rotationFields({ texts, form, resource }: Call<Client>): Promise<Html> {
    if (isPublicClient(resource)) throw new Rejection('noRoute')
    const secrets = await service.listSecrets(resource.clientId)
    const chosen = form.get('overlap') ?? DEFAULT
    return html`${hidden('request', form.get('request') ?? randomUUID())}
    ${
      secrets.length === 0
        ? hidden('overlap', DEFAULT)
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
    if (action.owner.act !== 'remove') await requireAccess(call, rightTo(action.owner.act, client.kind))
    const secrets = await service.listSecrets(client.clientId)
    // The only secret may have got a new one meanwhile.
    const isOnly = revocation === REVOCATIONS.only
    const meant =
      isOnly === (secrets.length === 1) ? secrets[revocation === REVOCATIONS.old ? 1 : 0] : undefined
    // The form may come from an old tab: its secret may be revoked, and another secret may be in its place.
    if (String(meant?.createdAt) === form.get('createdAt'))
      await runAction(action, client, { ...call, parts: services })
    return { done: texts.done }
  }

  async function confirm(call: Call<Client>): Promise<Confirmation> {
    const { title, what, button } = revocationOf(call.query['which']).texts
    const use = await useFacts(call, services, call.resource)
    return { title, what, button, use, trail: trail(call, kind, call.resource) }
  }

  const rotation = actionFor('rotateSecret', services, ownerOf(kind))
  const rotateSecret = { ...rotation, fields: rotationFields, run: rotate }
  const revokeSecret = { access: `${kind.permissions}:remove` as const, confirm, run: revoke }
  return { rotateSecret, revokeSecret }
}

function overlapOf(name: string | null): number {
  if (name !== null && Object.hasOwn(OVERLAPS, name)) return OVERLAPS[name as keyof typeof OVERLAPS].seconds
  const message = `must be one of ${Object.keys(OVERLAPS).join(', ')}`
  throw invalidArgument('overlap', { code: 'choice', message })
}
