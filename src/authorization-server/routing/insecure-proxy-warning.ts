import type { Context } from 'koa'
import type { Logger } from '../../host/logger.ts'

/** Looks at a request for the service, and tells operators if it should have come by https. */
export type InsecureProxyWarning = (ctx: Context) => void

/**
 * An https issuer that is reached over what looks like plain http has a proxy in front that nobody told of.
 * Said once, by whichever middleware of one gatehouse sees such a request first.
 *
 * @param settings.issuer {auth_url}
 */
export function createInsecureProxyWarning(settings: {
  readonly issuer: string
  readonly logger: Logger
}): InsecureProxyWarning {
  const { issuer, logger } = settings
  let isDue = issuer.startsWith('https:')
  return function warnOnInsecureProxy(ctx) {
    if (!isDue || ctx.secure) return
    isDue = false
    logger.warn(
      { issuer },
      'the issuer is https, but requests arrive over http: if a proxy ends TLS in front of this app, set ' +
        '`app.proxy = true` so that Koa believes its X-Forwarded-* headers',
    )
  }
}
