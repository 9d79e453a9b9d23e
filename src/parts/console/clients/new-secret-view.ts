import type { ConsoleServices } from '../services.ts'
import { ROUTES } from '../../../authorization-server/provider/routes.ts'
import { directScopes, limitToOwner } from '../../../catalog/resolve-scopes.ts'
import { isGatewayKey, type Client } from '../../../clients/client.ts'
import type { RotatedSecret } from '../../../clients/client-service-types.ts'
import { whyUnusable } from '../../../clients/why-no-token.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName } from '../../../http/pages/display-text.ts'
import { copyable, notice, panel } from '../elements/elements.ts'
import type { Call, Texts, View } from '../page-types.ts'
import type { TextName } from '../texts.ts'
import { pathOf, word, type ClientKind } from './client-kind.ts'
import { callCommand, firstReadAddress, secretAndTokenCommand } from './curl-commands.ts'

export interface NewSecret extends RotatedSecret {
  readonly client: Client
  readonly isRotation: boolean
}

/** The page that shows a new secret, once, and a first call with it. */
export async function secretView(
  call: Pick<Call, 'texts' | 'to'>,
  kind: ClientKind,
  services: ConsoleServices,
  secret: NewSecret,
): Promise<View> {
  const { texts, to } = call
  const { client, clientSecret, isRotation } = secret
  const name = applicationName(client)
  const title = isRotation ? 'clientsSecretRotated' : 'clientsSecretCreated'
  return {
    title: texts.plain(title, { name }),
    body: html`<h1>${texts.html(title, { name })}</h1>
      ${notice(
        'warn',
        html`<p><strong>${texts.html('clientsSecretOnce')}</strong></p>
          <p>${texts.html('clientsSecretStore')}</p>`,
      )}
      ${panel(
        { title: texts.html('clientsCredentials') },
        html`<div class="stack">
            ${titled(call, 'clientIdLabel', 'client-id', client.clientId)}
            ${titled(call, 'clientSecretLabel', 'client-secret', clientSecret)}
          </div>
          ${isRotation && html`<p>${oldSecret(call, secret)}</p>`}`,
      )}
      ${await firstCall(call, kind, services, secret)}
      <div class="buttons">
        <a class="button primary" href="${to(pathOf(kind, client) + (isRotation ? '/secrets' : ''))}"
          >${texts.html(word(kind, 'SecretStored'))}</a
        >
      </div>`,
  }
}

function titled(call: Texts, title: TextName, id: string, text: string, isCode = false): Html {
  return html`<div class="tight">
    <h3>${call.texts.html(title)}</h3>
    ${copyable(call, id, text, isCode ? call.texts.plain(title) : undefined)}
  </div>`
}

function oldSecret({ texts }: Texts, { client, oldSecretExpiresAt }: NewSecret): Html {
  if (oldSecretExpiresAt === undefined) return texts.html('clientsOldSecretEnded')
  const until = isGatewayKey(client) ? 'gatewayOldSecretUntil' : 'clientsOldSecretUntil'
  return texts.html(until, { time: texts.dateTime(oldSecretExpiresAt * 1000) })
}

async function firstCall(
  call: Pick<Call, 'texts' | 'to'>,
  kind: ClientKind,
  { accounts, catalog, issuer, audience }: ConsoleServices,
  { client }: NewSecret,
): Promise<Html | undefined> {
  const { texts, to } = call
  if (whyUnusable(client) || isGatewayKey(client)) return undefined
  if (client.products.length === 0) {
    const next = catalog.current.products.size === 0 ? 'clientsProductsNone' : 'clientsNextProduct'
    return panel({ title: texts.html('clientsNextTitle') }, html`<p>${texts.html(next)}</p>`)
  }
  if (kind.kind === 'application') {
    return panel(
      { title: texts.html('clientsNextTitle') },
      html`<p>${texts.html('clientsNextGuide')}</p>
        <p><a href="${to(`${pathOf(kind, client)}/guide`)}">${texts.html('guideTitle')}</a></p>`,
    )
  }
  const tokenCommand = secretAndTokenCommand({
    clientId: client.clientId,
    tokenAddress: issuer + ROUTES.token,
  })
  const { current } = catalog
  // The secret is shown once, even if the host cannot find the account now.
  const owner = (await accounts.find(client.accountId, client.userId).catch(() => undefined)) ?? {}
  const scopes = limitToOwner(client, owner, directScopes(current, client))
  const address = firstReadAddress(current, scopes, audience)
  return panel(
    { title: texts.html('clientsTryTitle') },
    html`<p class="muted">${texts.html('clientsTryHint')}</p>
      <div class="stack">
        ${titled(call, 'clientsTryToken', 'token-command', tokenCommand, true)}
        ${address !== undefined && titled(call, 'clientsTryCall', 'call-command', callCommand(address), true)}
      </div>`,
  )
}
