import type { Client } from '../../../clients/client.ts'
import type { KeyInfo } from '../../../clients/client-service-types.ts'
import { MAX_KEYS } from '../../../clients/jwk-set.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import { Rejection } from '../../front-door/rejection.ts'
import { html, type Html } from '../../../http/html.ts'
import { confirmLink } from '../elements/confirm.ts'
import { panel } from '../elements/elements.ts'
import type { Action, Call } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import { actionFor, ownerOf } from './client-action-forms.ts'
import type { ClientKind, FoundCredentials } from './client-kind.ts'
import { credentialUse } from './no-token-state.ts'
import { keyField } from './public-key-field.ts'

export type MayChange = FoundCredentials & { readonly mayRotate: boolean; readonly mayRemove: boolean }

/** The public keys of a client, and the forms that add and remove them. */
export function keysPanel(
  call: Call<Client>,
  { settings: { privateKeyJwt } }: ConsoleServices,
  { secrets, keys, mayRotate, mayRemove }: MayChange,
): Html | undefined {
  const { texts } = call
  if (keys.length === 0 && !privateKeyJwt) return undefined
  const isOnly = keys.length === 1 && secrets.length === 0
  return panel(
    { title: texts.html('keysTitle'), id: 'keys' },
    html`<p class="muted">${texts.html('keysHint')}</p>
      ${
        keys.length === 0
          ? html`<p>${texts.html('keysNone')}</p>`
          : html`<ul class="items">
              ${keys.map((key) => keyRow(call, key, mayRemove && !isOnly))}
            </ul>`
      }
      ${mayRemove && isOnly && html`<p class="hint">${texts.html('keysOnly')}</p>`}
      ${keys.length > 0 && html`<p class="hint">${leakHint(call)}</p>`}
      ${mayRotate && privateKeyJwt && addition(call, keys.length)}`,
  )
}

export function addKeyAction(kind: ClientKind, services: ConsoleServices): Action<Client> {
  return {
    ...actionFor('addKey', services, ownerOf(kind)),
    fields(call) {
      if (!services.settings.privateKeyJwt || isPublicClient(call.resource)) throw new Rejection('noRoute')
      return keyField(call, services, true)
    },
  }
}

function typeOf({ kty, alg }: KeyInfo): string {
  return `${kty} · ${alg ?? (kty === 'EC' ? 'ES256' : 'RS256, PS256')}`
}

function keyRow(call: Call<Client>, key: KeyInfo, mayRemove: boolean): Html {
  const { texts } = call
  const { kid, createdAt, lastUsedAt } = key
  return html`<li>
    <div class="tight">
      <code dir="ltr">${kid}</code>
      <span class="hint" dir="ltr">${typeOf(key)}</span>
      <span class="hint"
        >${texts.html('keysSince', { date: texts.date(createdAt), ago: texts.relative(createdAt) })}</span
      >
      <span class="hint">${credentialUse(call, lastUsedAt)}</span>
    </div>
    ${
      mayRemove &&
      confirmLink(
        call,
        { action: 'removeKey', fields: { kid }, style: 'slim' },
        html`${texts.html('clientsRemove')}<span class="unseen"> ${kid}</span>`,
      )
    }
  </li>`
}

function leakHint({ texts, to, has }: Call<Client>): Html {
  const name = texts.html('navInspector')
  const inspector = has('inspector') ? html`<a href="${to('/token-inspector')}">${name}</a>` : name
  return texts.html('keysLeakHint', { inspector })
}

function addition(call: Call<Client>, count: number): Html {
  const { texts } = call
  if (count >= MAX_KEYS) return html`<p class="muted">${texts.html('keysFull', { count })}</p>`
  return html`<div class="buttons">
    ${confirmLink(call, { action: 'addKey', style: '' }, texts.html('keysAdd'))}
  </div>`
}
