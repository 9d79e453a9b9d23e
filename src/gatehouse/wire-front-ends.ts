import type { Middleware } from 'koa'
import { createConsentPreview } from '../authorization-server/interaction/consent-preview.ts'
import type { Pages } from '../authorization-server/interaction/pages.ts'
import { createIdempotency } from '../clients/repeatable/idempotency.ts'
import { createConsole, type Console } from '../console/console.ts'
import type { ConsoleOptions } from '../console/console-options.ts'
import type { ConsoleServices } from '../console/services.ts'
import { deriveKey } from '../keys/derive-key.ts'
import { management, type ManagementOptions } from '../management/management.ts'
import type { Core } from './wire-core.ts'

/** The services that both front ends use, and that the core does not have. */
type Services = Pick<
  ConsoleServices,
  | 'apiKeys'
  | 'applications'
  | 'registry'
  | 'grants'
  | 'connections'
  | 'tokens'
  | 'signingKeys'
  | 'verifyToken'
  | 'health'
>

/**
 * Creates the management API and the console. Both are front ends over the same services.
 *
 * @param pages the pages of the authorization server, for the preview of the consent page
 * @param lifecycle.begin starts the service in the background
 * @param lifecycle.ready waits until the service has started, as long as a request may wait
 */
export function createFrontEnds(
  core: Core,
  services: Services,
  pages: Pages,
  lifecycle: { begin(): void; ready(): Promise<unknown> },
) {
  const { settings, audit, accounts, catalog, revoked, events, logger } = core
  const parts = {
    ...services,
    isRegistryAtHost: settings.registry !== undefined,
    audit,
    accounts,
    catalog,
    revoked,
    events,
    logger,
    issuer: settings.issuer,
    audience: settings.audience,
    defaultLocale: settings.defaultLocale,
    branding: settings.branding,
    csrfKeys: settings.secrets.map((secret) => deriveKey(secret, 'csrf')),
    repeatable: createIdempotency(
      core.durable,
      settings.secrets.map((secret) => deriveKey(secret, 'idempotency')),
    ),
    previewConsent: createConsentPreview({
      pages,
      catalog,
      accounts,
      openIdScopes: settings.openIdScopes,
      accessLifetime: settings.lifetimes.refreshToken,
    }),
    ready: lifecycle.ready,
  }
  return {
    management(options?: ManagementOptions): Middleware {
      const middleware = management(parts, options)
      lifecycle.begin()
      return middleware
    },
    console(options?: ConsoleOptions): Console {
      const middleware = createConsole(parts, options)
      lifecycle.begin()
      return middleware
    },
  }
}
