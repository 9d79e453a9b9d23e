import type { Catalog } from '../../../catalog/catalog.ts'
import { hasRequiredKycLevel, operationsOf } from '../../../catalog/resolve-scopes.ts'
import type { Application } from '../../../clients/client.ts'
import { isExpired } from '../../../clients/expiry-policy.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName } from '../../../http/pages/display-text.ts'
import { applicationKind, ownClient, pathOf, trail } from '../clients/client-kind.ts'
import { heading, notice } from '../elements/elements.ts'
import type { ConsoleServices } from '../services.ts'
import { page, type Call, type Page } from '../page-types.ts'

/** The consent page of an application in a frame, as its users will see it. */
export function previewPage(services: ConsoleServices): Page {
  const kind = applicationKind(services)
  return page<Application>({
    ...ownClient(kind, '/preview'),
    access: 'applications:read',
    async show(call) {
      const { texts, to, resource: application } = call
      const frame = to(`${pathOf(kind, application)}/preview/frame`)
      const name = applicationName(application)
      const developer = await services.accounts.find(application.accountId, application.userId)
      return {
        title: texts.plain('appsPreviewWindow', { name }),
        hasFrame: true,
        trail: trail(call, kind, application),
        body: html`<div class="line spread">
            ${heading(texts.html('clientsPreview'), texts.html('appsPreviewIntro', { name }))}
            <div class="buttons">
              <a class="button" href="${to(`${pathOf(kind, application)}/settings`)}"
                >${texts.html('appsPreviewChange')}</a
              >
              <a class="button" href="${frame}" target="_blank" rel="noopener noreferrer"
                >${texts.html('appsPreviewTab')}<span class="unseen"> ${texts.html('opensNewTab')}</span></a
              >
            </div>
          </div>
          ${missing(call)} ${notShown(call, services.catalog.current, developer?.kycLevel)}
          <div class="preview">
            <iframe sandbox src="${frame}" title="${texts.plain('appsPreviewWindow', { name })}"></iframe>
          </div>`,
      }
    },
  })
}

function missing({ texts, resource: application }: Call<Application>) {
  const reasons = [
    application.redirectUris.length === 0 && texts.html('appsPreviewNoRedirect'),
    application.products.length === 0 && texts.html('appsPreviewNoProduct'),
    application.disabled && texts.html('appsPreviewDisabled'),
    isExpired(application) && texts.html('appsPreviewExpired'),
    application.firstParty && texts.html('appsPreviewFirstParty'),
  ].filter((reason) => reason !== false)
  const lines = reasons.map((reason) => html`<p>${reason}</p>`)
  return lines.length > 0 && notice('warn', lines)
}

/** The developer's KYC level is too low for them. @param kycLevel undefined counts as the lowest level */
function notShown(
  { texts, resource: application }: Call<Application>,
  catalog: Catalog,
  kycLevel: string | undefined,
): Html | undefined {
  const blocked = operationsOf(catalog, application).filter(
    (operation) => !hasRequiredKycLevel(catalog, kycLevel, operation),
  )
  if (blocked.length === 0) return undefined
  const level = kycLevel ?? catalog.kycLevels[0] ?? ''
  const levels = [...new Set(blocked.map((operation) => operation.kycLevel))]
  return notice(
    'warn',
    levels.map((needed) => {
      const ofLevel = blocked.filter((operation) => operation.kycLevel === needed)
      const operations = texts.list(ofLevel.map(({ title }) => texts.localize(title)))
      const values = { count: ofLevel.length, operations, level, needed }
      return html`<p>${texts.html('appsPreviewNotShown', values)}</p>`
    }),
  )
}

/** It writes its own response, without the console around it. */
export function previewFramePage(services: ConsoleServices): Page {
  const kind = applicationKind(services)
  return page<Application>({
    ...ownClient(kind, '/preview/frame'),
    access: 'applications:read',
    async show({ ctx, caller, resource: application }) {
      await services.previewConsent(ctx, { application, viewer: caller })
      return undefined
    },
  })
}
