import { isGatewayKey, type Client } from '../../../clients/client.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName } from '../../../http/pages/display-text.ts'
import { PAGES_OF_KIND, pathOf } from '../clients/client-kind.ts'
import { badge, panel } from '../elements/elements.ts'
import type { Call } from '../page-types.ts'
import type { TextName } from '../texts.ts'

const WEEK_SECONDS = 7 * 86_400

/** What a new account does first; undefined when it has done that. @param calls of seven days, if they are counted */
export function firstSteps(
  { texts, to }: Call,
  clients: readonly Client[],
  calls: number | undefined,
  create: Html,
): Html | undefined {
  const used = clients.filter(({ lastUsedAt }) => lastUsedAt !== undefined)
  // It may have called the API before, or an API that counts no usage.
  const isOld = used.some(({ createdAt }) => createdAt < Date.now() / 1000 - WEEK_SECONDS)
  const steps: readonly (readonly [TextName, isDone: boolean])[] = [
    ['stepsCreate', clients.length > 0],
    ['guideStepToken', used.length > 0],
    ...(calls === undefined ? [] : [['guideStepCall', calls > 0 || isOld] as const]),
  ]
  const next = steps.findIndex(([, isDone]) => !isDone)
  if (next === -1) return undefined
  const mayCall = ({ products, disabled }: Client) => Number(products.length > 0 && !disabled)
  const [newest] = clients
    .filter((client) => !isGatewayKey(client))
    .toSorted((one, other) => mayCall(other) - mayCall(one) || other.createdAt - one.createdAt)
  const guide =
    newest &&
    html`<a class="button primary" href="${to(`${pathOf(PAGES_OF_KIND[newest.kind], newest)}/guide`)}"
      ><span>${texts.html('stepsGuide', { name: applicationName(newest) })}</span></a
    >`
  return panel(
    { title: texts.html(clients.length > 0 ? 'stepsTitle' : 'navDevelopers'), id: 'steps' },
    html`<ol class="steps">
      ${steps.map(
        ([name, isDone], at) =>
          html`<li>
            <strong>${texts.html(name)}</strong> ${isDone && badge(texts.html('stepsDone'), 'good')}
            ${at === next && html`<div>${at === 0 ? create : guide}</div>`}
          </li>`,
      )}
    </ol>`,
  )
}
