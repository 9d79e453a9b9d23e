import { html, type Html } from '../../http/html.ts'
import { copyable, facts } from '../elements/elements.ts'
import type { Call } from '../page.ts'
import type { GuideValues } from './guide-values.ts'

/** Operations that the page names. */
const MAX_OPERATIONS = 12

/** The values that every OAuth library asks for. */
export function valueFacts(call: Pick<Call, 'texts'>, values: GuideValues): Html {
  const { texts } = call
  const { clientId, issuer, authorizationAddress, tokenAddress, revocationAddress, audience, redirectUri } =
    values
  const isApplication = values.kind === 'application'
  const code = (text: string) => html`<code dir="ltr">${text}</code>`
  const secret = texts.html('guideSecretHint', { variable: html`<code>CLIENT_SECRET</code>` })
  return facts([
    [texts.html('guideClientId'), copyable(call, 'guide-client-id', clientId)],
    [texts.html('guideSecret'), secret],
    [texts.html('guideIssuer'), code(issuer)],
    [texts.html('guideAuthorizationAddress'), isApplication && code(authorizationAddress)],
    [texts.html('guideTokenAddress'), code(tokenAddress)],
    [texts.html('guideRevocationAddress'), code(revocationAddress)],
    [texts.html('guideRedirectUri'), redirectUri !== undefined && code(redirectUri)],
    [texts.html('guideAudience'), code(audience)],
    [texts.html('guideOperations'), operationList(call, values)],
  ])
}

function operationList({ texts }: Pick<Call, 'texts'>, { operations }: GuideValues): Html {
  const others = operations.length - MAX_OPERATIONS
  return html`<ul class="plain-list">
    ${operations.slice(0, MAX_OPERATIONS).map(
      ({ title, routes }) =>
        html`<li>
          ${texts.localize(title)}
          <span class="muted small"
            ><code dir="ltr">${routes.map(({ method, path }) => `${method} ${path}`).join(', ')}</code></span
          >
        </li>`,
    )}
    ${others > 0 && html`<li class="muted">${texts.html('guideOperationsMore', { count: others })}</li>`}
  </ul>`
}
