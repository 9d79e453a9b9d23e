import type { ConsoleServices } from '../services.ts'
import type { Client } from '../../../clients/client.ts'
import type { People } from '../activity/people.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import type { SecretInfo } from '../../../clients/stored-secrets.ts'
import { html, type Html } from '../../../http/html.ts'
import { badge, panel } from '../elements/elements.ts'
import { confirmLink } from '../elements/confirm.ts'
import type { Call } from '../page-types.ts'
import type { ClientKind, ClientPanel } from './client-kind.ts'
import { REVOCATIONS, secretActions } from './secret-actions.ts'

/**
 * The valid secrets of a client, and the links that rotate and revoke them. For a public application, the panel says
 * why there is no secret.
 */
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

/** One secret: since when and until when it is valid. With two secrets or with a key, each can be revoked. */
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
  const used =
    lastUsedAt === undefined
      ? texts.html('clientsSecretNeverUsed')
      : texts.html('clientsSecretUsed', { ago: texts.relative(lastUsedAt) })
  const which = length === 1 ? 'only' : isOld ? 'old' : 'new'
  const name = length === 1 ? 'clientSecretLabel' : isOld ? 'clientsSecretOld' : 'clientsSecretNew'
  return html`<li>
    <div class="tight">
      <strong>${texts.html(name)}</strong>
      ${hint !== undefined && html`<code dir="ltr">${hint}</code>`}
      <span class="hint"
        >${texts.html('clientsSecretSince', { date: texts.date(createdAt), ago: texts.relative(createdAt) })}</span
      >
      <span class="hint">${used}</span>
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
          texts.html(REVOCATIONS[which].button),
        )
      }
    </div>
  </li>`
}

/** The link to the page on which a new secret is created. */
function rotation(call: Call<Client>): Html {
  const link = { action: 'rotateSecret', style: '' }
  return html`<div class="buttons">${confirmLink(call, link, call.texts.html('clientsRotate'))}</div>`
}
