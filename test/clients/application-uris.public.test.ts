import { describe, expect, it } from 'vitest'
import {
  findOriginProblem,
  findPublicRedirectUriProblem,
  redirectKindOf,
} from '../../src/clients/application-uris.ts'

describe('the redirect URIs that a public application may register', () => {
  const ACCEPTED: [uri: string, kind: string][] = [
    ['https://app.example.com/callback', 'https'],
    ['https://app.example.com', 'https'],
    ['http://127.0.0.1/callback', 'loopback'],
    ['http://127.0.0.1:8000/callback', 'loopback'],
    ['http://[::1]/callback', 'loopback'],
    ['http://localhost:3000', 'loopback'],
    ['com.example.app:/callback', 'private-scheme'],
    ['com.example.app:/oauth2/redirect?from=gatehouse', 'private-scheme'],
    ['com.example.my-app://callback', 'private-scheme'],
  ]
  it('web addresses, loopback addresses and private-use schemes are accepted', () => {
    for (const [uri, kind] of ACCEPTED) {
      expect([uri, findPublicRedirectUriProblem(uri), redirectKindOf(uri)]).toEqual([uri, undefined, kind])
    }
  })

  const REJECTED: [uri: unknown, code: string][] = [
    ['http://app.example.com/callback', 'url-https-or-loopback'],
    ['http://127.0.0.2/callback', 'url-https-or-loopback'],
    ['http://localhost.evil/callback', 'url-https-or-loopback'],
    ['http://evil.localhost/callback', 'url-https-or-loopback'],
    ['http://127.1/callback', 'url-spelling'],
    ['http://LOCALHOST/callback', 'url-spelling'],
    ['http://user@localhost/callback', 'url-credentials'],
    ['https://127.0.0.1/callback', 'url-http'],
    ['https://localhost./callback', 'url-http'],
    ['https://app.localhost/callback', 'url-http'],
    ['https://127.0.0.2/callback', 'url-http'],
    ['https://0.0.0.0/callback', 'url-http'],
    ['https://[::1]/callback', 'url-http'],
    ['https://localhost/callback', 'url-http'],
    ['myapp:/callback', 'url-redirect'],
    ['javascript:alert(1)', 'url-redirect'],
    ['data:text/html,hello', 'url-redirect'],
    ['file:///etc/passwd', 'url-redirect'],
    ['blob:https://example.com/1', 'url-redirect'],
    ['urn:ietf:wg:oauth:2.0:oob', 'url-redirect'],
    ['COM.example.app:/callback', 'url-spelling'],
    ['com.example.app://user:pw@host/callback', 'url-credentials'],
    ['com.example.app:/callback#x', 'url-fragment'],
    ['com.example.app:/*', 'url-wildcard'],
    ['com.example.app:/call back', 'url-characters'],
    ['com..example:/callback', 'url-redirect'],
    ['.example.app:/callback', 'url'],
    [`com.example.app:/${'x'.repeat(2000)}`, 'too-long'],
    [`https://${'ü'.repeat(500)}.example/`, 'too-long'],
    ['', 'url'],
    [undefined, 'url'],
    [7, 'url'],
  ]
  it('all others are rejected with a code', () => {
    expect(REJECTED.map(([uri]) => [uri, findPublicRedirectUriProblem(uri)?.code])).toEqual(REJECTED)
  })

  it('the message about https on the local machine names hosts that are accepted, and not that of the rejected URI', () => {
    for (const [uri] of REJECTED.filter(([, code]) => code === 'url-http')) {
      const { message = '' } = findPublicRedirectUriProblem(uri) ?? {}
      const proposed = [...message.matchAll(/"([^"]+)"/g)].map(([, origin]) => `${origin}/callback`)
      expect(proposed).toHaveLength(3)
      expect(proposed.filter((each) => findPublicRedirectUriProblem(each))).toEqual([])
    }
  })
})

describe('the origins of a public application', () => {
  it('origins of web pages on https or loopback, and of apps, are accepted', () => {
    const origins =
      'https://app.example.com https://app.example.com:8443 http://localhost:5173 http://[::1]:3000 http://tauri.localhost capacitor://localhost chrome-extension://abcdefgh'
    expect(origins.split(' ').filter((origin) => findOriginProblem(origin) !== undefined)).toEqual([])
  })

  const REJECTED: [origin: unknown, code: string][] = [
    ['null', 'origin'],
    ['*', 'origin'],
    ['', 'origin'],
    [undefined, 'origin'],
    ['com.example.app:', 'origin'],
    ['data://x', 'origin'],
    ['javascript://x', 'origin'],
    ['ftp://x', 'origin'],
    ['ws://x', 'origin'],
    ['file://x', 'origin'],
    ['file:///', 'origin'],
    ['http://app.example.com', 'url-https-or-loopback'],
    ['http://tauri.localhost.example.com', 'url-https-or-loopback'],
    ['http://notlocalhost', 'url-https-or-loopback'],
    ['https://app.example.com/', 'url-spelling'],
    ['https://app.example.com/path', 'url-spelling'],
    ['https://APP.example.com', 'url-spelling'],
    ['https://app.example.com:443', 'url-spelling'],
    ['https://user@app.example.com', 'url-spelling'],
    ['https://*.example.com', 'url-wildcard'],
  ]
  it('all others are rejected with a code', () => {
    expect(REJECTED.map(([origin]) => [origin, findOriginProblem(origin)?.code])).toEqual(REJECTED)
  })
})
