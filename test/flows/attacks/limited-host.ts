import type { Context, Next } from 'koa'
import { expect, onTestFinished, vi } from 'vitest'
import { startHost, type Host, type HostOptions } from '../../support/host.ts'

export const MAX = 8
export const SHARE = MAX / 4

const behindProxy = async ({ app }: Context, next: Next) => {
  app.proxy = true
  await next()
}
export const from = (address: string) => ({ 'x-forwarded-for': address })

/** A host whose account look-ups wait while `hold()` is in force, so that token requests stay in flight. */
export async function startLimited(options: HostOptions = {}) {
  let held: Promise<void> | undefined
  let waiting = 0
  const warn = vi.fn()
  const host = await startHost({
    above: [behindProxy],
    ...options,
    gatehouse: {
      maxTokenRequests: MAX,
      logger: { debug() {}, info() {}, warn, error() {} },
      accounts: {
        async find(id: string) {
          waiting += 1
          await held
          waiting -= 1
          return { id, kycLevel: 'verified' }
        },
        current: () => undefined,
        signInUrl: () => '/sign-in',
      },
      ...options.gatehouse,
    },
  })
  onTestFinished(host.close)
  return {
    host,
    warn,
    /** Keeps the requests waiting that look up an account from now on. @returns lets them go on */
    hold() {
      let resolve = () => {}
      held = new Promise<void>((done) => (resolve = done))
      onTestFinished(() => resolve())
      return () => {
        held = undefined
        resolve()
      }
    },
    waitFor: (count: number) => vi.waitFor(() => expect(waiting).toBe(count), { timeout: 20_000 }),
  }
}

export const directly = (host: Host, key: Record<string, string>, headers: Record<string, string>) =>
  host.token({ grant_type: 'client_credentials', ...key }, headers)
