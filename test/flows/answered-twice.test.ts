import { expect, it } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { authorizationUrl, startHost } from '../support/host.ts'
import { describeEachStore } from '../support/stores.ts'

/** A store that holds up one call, chosen by `isMeant`, until it is let go. */
function holdOnce(store: Store, isMeant: (method: string, key: string, values: string) => boolean) {
  let arrive = () => {}
  let letGo = () => {}
  const arrived = new Promise<void>((resolve) => (arrive = resolve))
  const gone = new Promise<void>((resolve) => (letGo = resolve))
  let isHeld = false
  const holding = new Proxy(store, {
    get(target, name: keyof Store) {
      const member = target[name]
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        if (!isHeld && isMeant(name, String(args[0]), args.slice(1).join(' '))) {
          isHeld = true
          arrive()
          await gone
        }
        return Reflect.apply(member, target, args) as unknown
      }
    },
  })
  return { store: holding, arrived, letGo }
}

describeEachStore('An interaction that two tabs answer', (makeStore) => {
  it.each([
    [
      'before its grant is written',
      (method: string, key: string) => method === 'create' && key.startsWith('grant:'),
    ],
    [
      'before its answer is written (bug: it came back to life)',
      (method: string, key: string, values: string) =>
        ['set', 'replace'].includes(method) &&
        key.startsWith('interaction:') &&
        values.includes('"consent":{"grantId"'),
    ],
  ])(
    'gives one code, and the other tab the error page, if the other one is held up %s',
    async (_, isMeant) => {
      const held = holdOnce(makeStore(), isMeant)
      const host = await startHost({ store: held.store, gatehouse: { storeTimeoutMs: 5000 } })
      const { client_id } = await host.createApplication()
      const browser = host.browser()
      const signIn = await browser.open(authorizationUrl(host, client_id))
      const page = await browser.submit(signIn, {
        action: /sign-in/,
        change: { identifier: 'alice', password: 'correct' },
      })
      const approve = () => browser.submit(page, { action: /consent/, button: ['action', 'approve'] })

      const slow = approve()
      await held.arrived
      const quick = await approve()
      held.letGo()
      expect(quick.url.searchParams.get('code')).toEqual(expect.any(String))
      const answer = await slow
      expect(answer.url.searchParams.get('code')).toBeNull()
      expect([answer.status, answer.url.pathname]).toEqual([404, page.url.pathname])
      expect(host.errors).toEqual([])
      await host.close()
    },
  )
})
