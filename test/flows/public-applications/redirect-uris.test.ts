import { afterAll, beforeAll, expect, it } from 'vitest'
import { authorizationUrl, startHost, type Host } from '../../support/host.ts'
import { createPkce, createPublicApplication } from '../../support/public-application.ts'
import { describeEachStore } from '../../support/stores.ts'

const REGISTERED = [
  'https://app.example.com/callback',
  'http://127.0.0.1/callback',
  'http://[::1]/callback',
  'http://localhost:8080/callback',
  'com.example.app:/callback',
]

describeEachStore('the redirect URIs of public applications', (makeStore) => {
  let host: Host
  let client_id: string
  beforeAll(async () => {
    host = await startHost({ store: makeStore(), gatehouse: { publicApplications: true } })
    client_id = await createPublicApplication(host, { redirectUris: REGISTERED })
  })
  afterAll(() => host.close())

  /** Whether the service accepts a redirect URI: it then shows its sign-in page, and otherwise an error page. */
  async function isAccepted(redirect_uri: string): Promise<boolean> {
    const parameters = { redirect_uri, ...createPkce().challenge }
    const page = await host.browser().open(authorizationUrl(host, client_id, parameters))
    expect([200, 400]).toContain(page.status)
    if (page.status === 400) expect(page.body).not.toContain('<form')
    return page.status === 200
  }

  const ACCEPTED = [
    'https://app.example.com/callback',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:1/callback',
    'http://127.0.0.1:65535/callback',
    'http://[::1]:51004/callback',
    'http://localhost/callback',
    'http://localhost:51004/callback',
    'com.example.app:/callback',
  ]
  const REJECTED = [
    // https is compared character by character.
    'https://app.example.com:8443/callback',
    'https://app.example.com:443/callback',
    'https://app.example.com/callback/',
    'https://app.example.com/Callback',
    'https://app.example.com/callback?x=1',
    'https://app.example.com/%63allback',
    'https://APP.example.com/callback',
    'https://user@app.example.com/callback',
    'https://app.example.com.evil.example/callback',
    'http://app.example.com/callback',
    // Only the port of a loopback address may differ.
    'http://127.0.0.1:51004/callback/',
    'http://127.0.0.1:51004/other',
    'http://127.0.0.1:51004/callback?x=1',
    'http://127.0.0.1:51004/%2Fcallback',
    'http://127.0.0.1:51004//callback',
    'http://127.0.0.1:51004/x/../callback',
    'http://127.0.0.1:51004\\callback',
    'http://127.1:51004/callback',
    'http://127.0.0.2:51004/callback',
    'http://2130706433:51004/callback',
    'http://0x7f.0.0.1:51004/callback',
    'http://user@127.0.0.1:51004/callback',
    'http://127.0.0.1:51004@evil.example/callback',
    'http://127.0.0.1.evil.example:51004/callback',
    'http://localhost.evil:51004/callback',
    'http://evil.localhost:51004/callback',
    'http://LOCALHOST:51004/callback',
    'http://localhost.:51004/callback',
    'http://[::ffff:127.0.0.1]:51004/callback',
    'http://0.0.0.0:51004/callback',
    'https://127.0.0.1:51004/callback',
    // Private-use schemes are compared character by character.
    'com.example.app:/callback/',
    'com.example.app://callback',
    'com.example.app:/other',
    'COM.example.app:/callback',
    'com.example.app2:/callback',
    'javascript:alert(1)',
    'data:text/html,x',
  ]
  it('registered URIs are accepted, with any port of a loopback address; all others are rejected, and the browser is not sent there', async () => {
    const accepted: string[] = []
    for (const uri of [...ACCEPTED, ...REJECTED]) if (await isAccepted(uri)) accepted.push(uri)
    expect(accepted).toEqual(ACCEPTED)
  })

  it('an application that is not public must send the registered port', async () => {
    const application = await host.createApplication({ redirectUris: ['http://127.0.0.1:8000/callback'] })
    const open = (redirect_uri: string) =>
      host.browser().open(authorizationUrl(host, application.client_id, { redirect_uri }))
    expect((await open('http://127.0.0.1:8000/callback')).status).toBe(200)
    expect((await open('http://127.0.0.1:8001/callback')).status).toBe(400)
  })
})
