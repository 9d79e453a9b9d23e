import type { Context } from 'koa'
import type { Logger } from '../../host/logger.ts'

/** Warns operators if a request to the service arrived by http although the issuer is https. */
export type InsecureProxyWarning = (ctx: Context) => void

/**
 * Creates one check for all middlewares of a gatehouse. If the issuer is https but a request looks like plain
 * http, Koa probably does not trust the proxy in front of the app. The first such request logs a warning.
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
