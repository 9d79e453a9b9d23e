import { expect, it } from 'vitest'
import { authorizationUrl, startHost } from '../support/host.ts'
import { pausingStore } from '../support/pausing-store.ts'
import { describeEachStore } from '../support/stores.ts'

describeEachStore('An interaction that two tabs answer', (makeStore) => {
  it.each([
    ['before its grant is written', 'create grant:'],
    [
      'before its answer is written (bug: it came back to life)',
      (call: string, args: string) =>
        /^(?:set|replace) interaction:/.test(call) && args.includes('"consent":{"grantId"'),
    ],
  ])('gives one code, and the other tab the error page, if the other one is held up %s', async (_, which) => {
    const pausing = pausingStore(makeStore())
    const pause = pausing.pauseBefore(which)
    const host = await startHost({ store: pausing.store, gatehouse: { storeTimeoutMs: 5000 } })
    const { client_id } = await host.createApplication()
    const browser = host.browser()
    const signIn = await browser.open(authorizationUrl(host, client_id))
    const page = await browser.submit(signIn, {
      action: /sign-in/,
      change: { identifier: 'alice', password: 'correct' },
    })
    const approve = () => browser.submit(page, { action: /consent/, button: ['action', 'approve'] })

    const slow = approve()
    expect(await pause.reached).toBe(true)
    const quick = await approve()
    pause.end()
    expect(quick.url.searchParams.get('code')).toEqual(expect.any(String))
    const answer = await slow
    expect(answer.url.searchParams.get('code')).toBeNull()
    expect([answer.status, answer.url.pathname]).toEqual([404, page.url.pathname])
    expect(host.errors).toEqual([])
    await host.close()
  })
})
