import { html, type Html } from '../../http/html.ts'
import { facts } from '../elements/elements.ts'
import type { Call } from '../page-types.ts'
import type { GuideValues } from './guide-values.ts'

/** How a program with a private key authenticates (RFC 7523 3): the claims of the JWT that it sends. */
export function assertionFacts({ texts }: Pick<Call, 'texts'>, values: GuideValues): Html {
  const code = (text: string) => html`<code dir="ltr">${text}</code>`
  const { clientId, issuer, keyIds } = values
  return html`<p>${texts.html('guideAssertionHint', { parameter: code('client_assertion') })}</p>
    ${facts([
      [code('client_assertion_type'), code('urn:ietf:params:oauth:client-assertion-type:jwt-bearer')],
      [code('alg'), code('ES256, RS256, PS256')],
      [code('kid'), html`<div class="tight">${keyIds.map(code)}</div>`],
      [code('iss, sub'), code(clientId)],
      [code('aud'), code(issuer)],
      [code('exp'), texts.html('guideAssertionExpiry')],
      [code('jti'), texts.html('guideAssertionId')],
    ])}`
}
