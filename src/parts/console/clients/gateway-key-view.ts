import { isGatewayKey, type Client } from '../../../clients/client.ts'
import { html, type HtmlValue } from '../../../http/html.ts'
import type { Call } from '../page-types.ts'
import { lastUsed } from './no-token-state.ts'

type Facts = readonly (readonly [HtmlValue, HtmlValue])[]

/** When a client was last used. For the key of a gateway: for which resources it is, and when its gateway was seen. */
export function useFacts(call: Pick<Call, 'texts'>, client: Client): Facts {
  const { texts } = call
  if (!isGatewayKey(client)) return [[texts.html('operatorLastUsed'), lastUsed(call, client)]]
  const { resources } = client.kind === 'apiKey' ? client : {}
  const named = resources?.map((address) => html`<code dir="ltr">${address}</code>`)
  return [
    [
      texts.html('gatewayResources'),
      named ? html`<div class="tight">${named}</div>` : texts.html('gatewayAllResources'),
    ],
    [texts.html('gatewaySeen'), lastUsed(call, client)],
  ]
}
