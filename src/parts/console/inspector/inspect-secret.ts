import type { FoundSecret } from '../../../clients/leaked-secrets.ts'
import { rightTo } from '../../front-door/permissions-on-clients.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName, displayText } from '../../../http/pages/display-text.ts'
import { pagePathOf } from '../clients/client-kind.ts'
import { notice } from '../elements/elements.ts'
import type { Call } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'

const TEXTS = {
  secret: {
    valid: 'inspectorSecretValid',
    validText: 'inspectorSecretValidText',
    over: 'inspectorSecretOver',
  },
  key: { valid: 'inspectorKeyValid', validText: 'inspectorKeyValidText', over: 'inspectorKeyOver' },
} as const

export async function isPrivateKey({ loadPublicKeys }: ConsoleServices, pasted: string): Promise<boolean> {
  const publicKeys = await loadPublicKeys?.()
  return publicKeys?.identityOfPrivateKey(pasted.trim()) !== undefined
}

/** What a caller may know about a pasted secret or private key, which the answer never contains. */
export async function inspectSecret(services: ConsoleServices, call: Call, pasted: string) {
  const { secrets } = services
  const isOperator = call.has('operator')
  const first = await (isOperator ? secrets.find(pasted) : secrets.findIn(call.caller.accountId, pasted))
  const isKey = await isPrivateKey(services, pasted)
  const all = first ? [first, ...(first.others ?? [])] : []
  const shown = await Promise.all(all.map((found) => inspectFound(call, found, isKey)))
  const notices = shown.filter((each) => each !== undefined)
  return notices.length === 0 ? undefined : html`${notices}`
}

async function inspectFound(call: Call, found: FoundSecret, isKey: boolean): Promise<Html | undefined> {
  const isOperator = call.has('operator')
  const { valid, validText, over } = TEXTS[isKey ? 'key' : 'secret']
  const { client, clientId, isValid, reported } = found
  const { texts, to } = call
  if (!isOperator && client && !(await call.may(rightTo('read', client.kind), client))) return undefined
  const path = client && pagePathOf(call, client)
  const shown = html`<bdi>${client ? applicationName(client) : displayText(clientId)}</bdi>`
  const name = path === undefined ? shown : html`<a href="${to(path)}">${shown}</a>`
  if (!isValid && (reported || !client)) {
    return notice(
      'good',
      html`<p><strong>${texts.html(over, { name })}</strong></p>
        <p>${texts.html('inspectorSecretOverText')}</p>`,
    )
  }
  const report =
    path !== undefined &&
    (isOperator ? to(`${path}/secrets`, { confirm: 'reportCompromised' }) : to(`${path}/report-compromised`))
  return notice(
    'warn',
    html`<p>
        <strong>${texts.html(isValid ? valid : over, { name })}</strong>
      </p>
      <p>${texts.html(isValid ? validText : 'inspectorSecretLostText')}</p>
      ${report && html`<p><a class="button danger" href="${report}">${texts.html('clientsLeaked')}</a></p>`}`,
  )
}
