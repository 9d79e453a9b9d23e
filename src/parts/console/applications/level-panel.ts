import type { Catalog, Operation } from '../../../catalog/catalog.ts'
import { hasRequiredKycLevel, operationsOf } from '../../../catalog/resolve-scopes.ts'
import type { Application } from '../../../clients/client.ts'
import { html, type Html } from '../../../http/html.ts'
import { columns, panel, table } from '../elements/elements.ts'
import type { Call } from '../page-types.ts'

/** The operations of an application above its developer's KYC level; undefined if none needs any. */
export function levelPanel(
  { texts }: Pick<Call, 'texts'>,
  catalog: Catalog,
  application: Application,
  kycLevel: string | undefined,
): Html | undefined {
  const operations = operationsOf(catalog, application)
  if (operations.every((operation) => operation.kycLevel === undefined)) return undefined
  const level = kycLevel ?? catalog.kycLevels[0] ?? ''
  const blocked = operationsAboveLevel(catalog, application, kycLevel)
  return panel(
    { title: texts.html('appsLevelTitle'), id: 'level' },
    blocked.length === 0
      ? html`<p>${texts.html('appsLevelEnough', { level })}</p>`
      : html`<p>${texts.html('appsLevelBlocked', { level })}</p>
          ${table(
            columns({ texts }, ['operationLabel', 'appsLevelNeeded']),
            blocked.map(({ title, scope, kycLevel: needed }) => [
              html`${texts.localize(title)} <code class="muted" dir="ltr">${scope}</code>`,
              needed,
            ]),
          )}
          <p class="muted">${texts.html('appsLevelRaise')}</p>`,
  )
}

export function operationsAboveLevel(
  catalog: Catalog,
  application: Application,
  kycLevel: string | undefined,
): Operation[] {
  return operationsOf(catalog, application).filter(
    (operation) => !hasRequiredKycLevel(catalog, kycLevel, operation),
  )
}
