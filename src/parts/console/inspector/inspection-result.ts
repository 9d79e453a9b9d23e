import type { ConsoleServices } from '../services.ts'
import type { Catalog, Product } from '../../../catalog/catalog.ts'
import { html, type Html, type HtmlValue } from '../../../http/html.ts'
import { applicationName, displayText, unknownClientName } from '../../../http/pages/display-text.ts'
import { isEpochSeconds, isText } from '../../../validation/predicates.ts'
import { pagePathOf } from '../clients/client-kind.ts'
import { columns, facts, panel, table } from '../elements/elements.ts'
import type { Call } from '../page-types.ts'
import type { Inspection } from './inspect-token.ts'
import { hostHref } from '../operator/client-href.ts'
import { selfDescription } from '../elements/self-description.ts'
import { statusNotice } from './status-notice.ts'

/** Everything about an inspected token: its status, its facts, what it may do, and its decoded parts. */
export function inspectionResult(call: Call, inspection: Inspection, services: ConsoleServices): Html {
  const { texts } = call
  const { status, scopes, header, claims, client } = inspection
  const isTrusted = status.is === 'valid' || status.is === 'expired' || status.is === 'revoked'
  return html`${statusNotice(inspection, texts, services)}
  ${
    isTrusted &&
    html`${panel({ title: texts.html('inspectorFacts') }, tokenFacts(call, inspection, services.branding.name))}
    ${panel(
      {
        title: texts.html(status.is === 'valid' ? 'inspectorOperations' : 'inspectorOperationsFormer'),
      },
      scopes.length === 0
        ? html`<p>${texts.html('inspectorNoOperations')}</p>`
        : html`<p class="muted">
              ${texts.html('inspectorBelow', { address: html`<code dir="ltr">${String(claims['aud'])}</code>` })}
            </p>
            ${operationTables(scopes, texts, services.catalog.current, client?.products)}`,
    )}`
  }
  ${panel(
    { title: texts.html('inspectorRaw') },
    html`${!isTrusted && html`<p class="problem">${texts.html('inspectorUntrusted')}</p>`}
      <h3>${texts.html('inspectorHeader')}</h3>
      <pre dir="ltr" tabindex="0">${prettyJson(header)}</pre>
      <h3>${texts.html('inspectorClaims')}</h3>
      <pre dir="ltr" tabindex="0">${prettyJson(claims)}</pre>`,
  )}`
}

function tokenFacts({ texts, to, has }: Call, { client, claims, header }: Inspection, service: string): Html {
  const { client_id: clientId, access_mode: mode, account_id: accountId, user_id: userId, iat, exp } = claims
  const time = (value: unknown) =>
    isEpochSeconds(value) && html`${texts.dateTime(value * 1000)} (${texts.relative(value)})`
  const code = (value: unknown): HtmlValue => isText(value) && html`<code>${displayText(value, 200)}</code>`
  const account = [accountId, userId].filter(isText).join('/')
  const path = client && pagePathOf({ has }, client)
  const href = path === undefined ? hostHref({ to, has }, String(clientId)) : to(path)
  const name = html`<bdi>${client ? applicationName(client) : unknownClientName(String(clientId))}</bdi>`
  return facts([
    [
      texts.html('inspectorClient'),
      html`${href === undefined ? name : html`<a href="${href}">${name}</a>`}
      ${client && selfDescription({ texts, service }, client)}`,
    ],
    [
      texts.html('inspectorMode'),
      texts.html(mode === 'delegated' ? 'inspectorModeDelegated' : 'inspectorModeDirect', {
        account: displayText(account),
      }),
    ],
    [texts.html('inspectorIssued'), time(iat)],
    [texts.html('expiresLabel'), time(exp)],
    [texts.html('inspectorKey'), code(header['kid'])],
    [texts.html('inspectorTokenId'), code(claims['jti'])],
  ])
}

/** Products that the client does not have are shown only for operations that its own products do not have. */
function operationTables(
  scopes: readonly string[],
  texts: Call['texts'],
  catalog: Catalog,
  productIds: readonly string[] = [],
): Html {
  const carried = new Set(scopes)
  const ofProduct = (product: Product) => product.operations.filter(({ scope }) => carried.has(scope))
  const products = [...catalog.products.values()].filter((product) => ofProduct(product).length > 0)
  const own = products.filter(({ id }) => productIds.includes(id))
  const covered = new Set(own.flatMap((product) => ofProduct(product).map(({ scope }) => scope)))
  const shown = products.filter(
    (product) => own.includes(product) || ofProduct(product).some(({ scope }) => !covered.has(scope)),
  )
  const others = scopes.filter((scope) => !catalog.operations.has(scope))
  return html`${shown.map(
    (product) =>
      html`<div class="tight">
        <h3><bdi>${texts.localize(product.title)}</bdi></h3>
        ${table(
          columns({ texts }, ['operationLabel', 'inspectorCall']),
          ofProduct(product).map(({ title, scope, routes }) => [
            html`<div class="tight">
              <bdi>${texts.localize(title)}</bdi><code class="muted">${scope}</code>
            </div>`,
            html`<div class="tight">
              ${routes.map(({ method, path }) => html`<code dir="ltr">${method} ${path}</code>`)}
              ${routes.length === 0 && texts.html('operationWithoutRoute')}
            </div>`,
          ]),
          true,
        )}
      </div>`,
  )}
  ${
    others.length > 0 &&
    html`<div class="tight">
      <h3>${texts.html('inspectorOtherScopes')}</h3>
      <p>
        ${texts.html('inspectorOtherScopesText', { list: html`<code>${displayText(others.join(' '), 500)}</code>` })}
      </p>
    </div>`
  }`
}

/** Deeper values are in one line, because indentation would make the text very long. */
const MAX_DEPTH = 8

/** JSON that people can read: characters that are invisible or change the direction of text are escapes. */
export function prettyJson(value: Readonly<Record<string, unknown>>): string {
  return write(value).replaceAll(
    /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

function write(value: unknown): string {
  try {
    const plain = JSON.stringify(value)
    return depthOf(plain) > MAX_DEPTH ? plain : JSON.stringify(value, null, 2)
  } catch {
    // More deeply nested than the stack allows.
    return '…'
  }
}

/** Brackets in texts count too, which only makes the result higher. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}
