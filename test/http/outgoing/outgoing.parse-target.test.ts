import { isIP } from 'node:net'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { OutgoingProblem } from '../../../src/http/outgoing/outgoing-problem.ts'
import { parseTarget } from '../../../src/http/outgoing/outgoing.ts'
import { anyText } from '../../support/any-text.ts'
import { webUrl } from '../../support/web-url.ts'

const problemOf = (text: string) => {
  try {
    return `accepted: ${parseTarget(text).href}`
  } catch (error) {
    if (!(error instanceof OutgoingProblem)) throw error
    expect(error.kind).toBe('rejected')
    return error.message
  }
}

it('an address of a domain name over https may be requested', () => {
  for (const url of [
    'https://app.example.com/client.json',
    'https://app.example.com:8443/client.json?a=b',
    'https://xn--bcher-kva.example/a%20b',
    'https://under_score.example.com/',
  ]) {
    expect(parseTarget(url).href).toBe(url)
  }
})

const REJECTED: [url: string, problem: string][] = [
  ['http://app.example.com/', 'the URL does not start with https://'],
  ['ftp://app.example.com/', 'the URL does not start with https://'],
  ['file:///etc/passwd', 'the URL does not start with https://'],
  ['data:application/json,{}', 'the URL does not start with https://'],
  ['blob:https://app.example.com/1', 'the URL does not start with https://'],
  ['app.example.com/', 'the URL is not valid'],
  ['//app.example.com/', 'the URL is not valid'],
  ['https://', 'the URL is not valid'],
  ['https://app.example.com:65536/', 'the URL is not valid'],
  ['https://a@app.example.com/', 'the URL contains a user name or password'],
  ['https://:b@app.example.com/', 'the URL contains a user name or password'],
  ['https://app.example.com/#a', 'the URL contains a fragment'],
  [`https://app.example.com/${'a'.repeat(2048)}`, 'the URL has more than 2048 characters'],
]
it('every other URL is rejected with its problem', () => {
  expect(REJECTED.map(([url]) => [url, problemOf(url)])).toEqual(REJECTED)
})

it('a URL with an IP address in any form, or without a domain name of the internet, is rejected', () => {
  const addresses =
    '127.0.0.1 93.184.216.34 2130706433 0x7f000001 0x7f.1 0177.0.0.1 127.1 127.0.0.1. １２７.0.0.1 %31%32%37.0.0.1 [::1] [::ffff:127.0.0.1] [2606:2800:220:1:248:1893:25c8:1946]'
  const names =
    'localhost metadata app.example.com. a..example.com .example.com *.example.com a;b.example.com'
  for (const [hosts, problem] of [
    [addresses, 'the URL contains an IP address instead of a domain name'],
    [names, 'the host of the URL is not a domain name of the internet'],
  ] as const) {
    for (const host of hosts.split(' '))
      expect([host, problemOf(`https://${host}/`)]).toEqual([host, problem])
  }
})

it('strange URLs are rejected with a problem, or lead to a domain name over https', () => {
  const part = fc.oneof(
    anyText(),
    fc.constantFrom(
      ...'https: // @ : / \\ # ? [ ] % %00 %2e . .. \t \n 0x7f 127.0.0.1 ::1 localhost a.example 。 \u{202e}'.split(
        ' ',
      ),
    ),
  )
  const text = fc.oneof(
    anyText(),
    webUrl(),
    fc.array(part, { maxLength: 8 }).map((parts) => `https://${parts.join('')}`),
    fc.ipV4Extended().map((address) => `https://${address}/`),
    fc.ipV6().map((address) => `https://[${address}]/`),
  )
  fc.assert(
    fc.property(text, (url) => {
      const result = problemOf(url)
      if (!result.startsWith('accepted: ')) return
      const { protocol, hostname, username, password, hash } = parseTarget(url)
      expect([protocol, username, password, hash]).toEqual(['https:', '', '', ''])
      expect(hostname).toMatch(/^[a-z\d_-]+(\.[a-z\d_-]+)+$/)
      expect(isIP(hostname)).toBe(0)
    }),
    { numRuns: 500 },
  )
})
