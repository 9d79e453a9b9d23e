import type { Context } from 'koa'
import type { Logger } from '../../host/logger.ts'

/** Checks a request for the service, and warns operators if it arrived by http instead of https. */
export type InsecureProxyWarning = (ctx: Context) => void

/**
 * If an https issuer receives requests that look like plain http, Koa does not trust the proxy in front of the app. The
 * first middleware of a gatehouse that receives such a request logs the warning, once.
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
