import { decodeJwt } from 'jose'
import { expect, it } from 'vitest'
import { isAt } from '../../support/browser.ts'
import { asksFor, authorizationUrl, authorize, CALLBACK } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import { startUsersHost } from '../../support/users-host.ts'

const parameters = { scope: 'openid invoices:read' }

describeEachStore('another user of the same account in the same browser', (makeStore) => {
  it('another user of the account signs in without a page that needs scripts, and the code is for this user', async () => {
    const host = await startUsersHost({ store: makeStore() })
    const application = await host.createApplication()
    const { browser } = await authorize(host, application.client_id, { user: 'firm/intern', parameters })
    const page = await browser.open(
      authorizationUrl(host, application.client_id, { ...parameters, prompt: 'login' }),
    )
    expect(asksFor(page)).toBe('sign-in')
    const next = await browser.submit(page, {
      action: /sign-in/,
      change: { identifier: 'firm/owner', password: 'correct' },
    })
    expect(next.body).not.toContain('<script')
    expect([next.status, asksFor(next)]).toEqual([200, 'consent'])
    expect(next.body).toContain('Olga Owner')
    const back = await browser.submit(next, {
      action: /consent$/,
      change: { scope: ['openid', 'invoices:read'] },
      button: ['action', 'approve'],
    })
    expect(isAt(back, CALLBACK)).toBe(true)
    const code = back.url.searchParams.get('code') ?? ''
    const { body } = await host.exchangeCode(application, code)
    expect(decodeJwt(String(body['access_token'])).sub).toBe('firm!owner')
    await host.close()
  })
})
