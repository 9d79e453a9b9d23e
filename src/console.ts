import { createConsentPreview } from './authorization-server/interaction/consent-preview.ts'
import { consoleOf, type Console } from './console/console.ts'
import type { ConsoleOptions } from './console/console-options.ts'
export type { PolicyDirectives } from './http/security-headers.ts'
import type { AnyGatehouse } from './gatehouse/gatehouse.ts'
import { internalsOf } from './gatehouse/internals.ts'

export type { Console } from './console/console.ts'
export type { ConsoleOptions, ConsolePage, ConsolePartOptions } from './console/console-options.ts'
export type { ConsoleTexts } from './console/texts.ts'

/**
 * Creates the console: pages on which developers manage their API keys and applications, users their connected
 * applications, and operators the service. `accounts.current` says who is signed in. Mount it below your session. The
 * result also mounts single parts: `createConsole(gatehouse).connectedApplications({ path })`. The gatehouse starts in the
 * background.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` if `accounts` has no `current` and `signInUrl`; `ERR_INVALID_ARGUMENT` for invalid
 *   options, or if `gatehouse` is not from `createGatehouse()`
 */
export function createConsole(gatehouse: AnyGatehouse, options?: ConsoleOptions): Console {
  const internals = internalsOf(gatehouse, 'createConsole()')
  const { settings, pages, catalog, accounts } = internals
  const previewConsent = createConsentPreview({
    pages,
    catalog,
    accounts,
    openIdScopes: settings.openIdScopes,
    accessLifetime: settings.lifetimes.refreshToken,
  })
  const console = consoleOf({ ...internals, previewConsent }, options)
  internals.begin()
  return console
}
