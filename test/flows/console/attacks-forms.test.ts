import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { addressOf, createTargets, csrfTokenOf, stateOf } from './attack-setup.ts'
import { encode, form, FORM, wrongAnswers, type Attack } from './sent-forms.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

describe('forms that attackers send', () => {
  let host: ConsoleHost
  const tokens = new Map<string, string>()
  beforeAll(async () => {
    host = await startConsole({ store: memoryStore(), gatehouse: { privateKeyJwt: true } })
    for (const person of ['acme', 'bob']) {
      tokens.set(person, await csrfTokenOf(host, person))
    }
  })
  afterAll(() => host.close())

  it('a form changes nothing if its token is missing, doubled or invalid, if it comes from elsewhere, or if it is no form', async () => {
    const targets = await createTargets(host, { isConnected: false })
    const action = 'disable'
    const csrf = tokens.get('acme')
    const full = { action, csrf }
    const multipart = new FormData()
    for (const [name, value] of Object.entries(full)) multipart.set(name, value ?? '')
    const attacks: readonly Attack[] = [
      [403, {}],
      [403, { headers: { 'content-type': FORM } }],
      ...['', 'null', 'x'].map((invalid): Attack => [403, form(encode({ ...full, csrf: invalid }))]),
      [403, form(encode({ ...full, csrf: tokens.get('bob') }))],
      [403, form(`${encode(full)}&csrf=x`)],
      [403, form(`${encode(full)}&csrf=${csrf}`)],
      [403, form(encode({ action, 'csrf[]': csrf }))],
      ...['cross-site', 'same-site', 'none'].map((site): Attack => [
        403,
        form(encode(full), { 'sec-fetch-site': site }),
      ]),
      [403, form(encode(full), { origin: 'https://evil.example' })],
      [403, form(encode(full), { origin: `${host.origin}.evil.example` })],
      [400, form(encode({ csrf }))],
      [400, form(`${encode(full)}&action=${action}`)],
      [400, form(encode({ ...full, action: 'constructor' }))],
      [400, form(encode({ ...full, action: '__proto__' }))],
      [415, { body: multipart }],
      [415, { body: JSON.stringify(full), headers: { 'content-type': 'application/json' } }],
      [415, { body: encode(full), headers: { 'content-type': 'text/plain' } }],
      [415, form(encode(full), { 'content-encoding': 'gzip' })],
      [413, form(`${encode(full)}&padding=${'x'.repeat(1_000_000)}`)],
    ]
    const before = await stateOf(host, targets)
    expect(
      await wrongAnswers(host, 'acme', addressOf('/api-keys/:clientId/settings', targets), attacks),
    ).toEqual([])
    expect(await stateOf(host, targets)).toBe(before)
  })
})
