import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  findLogoUriProblem,
  findRedirectUriProblem,
  findWebUriProblem,
} from '../../src/clients/application-uris.ts'
import { webUrl } from '../support/web-url.ts'

describe('a redirect URI', () => {
  it('a redirect URI may have a port, a query and encoded characters, and may be http on this machine', () => {
    const accepted = [
      'https://example.com',
      'https://example.com/',
      'https://example.com?tenant=1',
      'https://example.com:8443/callback?tenant=1&next=%2Fhome',
      'https://xn--bcher-kva.example/callback',
      'https://example.com/a%20path/with%2Aasterisk',
      'https://example.com/callback?pattern=*',
      'https://192.0.2.1/callback',
      'http://localhost/callback',
      'http://127.0.0.1:3001/callback',
      'http://[::1]:3001/callback',
    ]
    expect(accepted.filter((uri) => findRedirectUriProblem(uri) !== undefined)).toEqual([])
  })

  const REJECTED: [name: string, uri: unknown, part: string][] = [
    ['undefined', undefined, 'absolute URL'],
    ['an empty text', '', 'absolute URL'],
    ['an object that converts to a URL', { toString: () => 'https://example.com/' }, 'absolute URL'],
    ['a path', '/callback', 'absolute URL'],
    ['plain http', 'http://example.com/callback', 'https'],
    ['http on a host that only looks like loopback', 'http://localhost.example.com/callback', 'https'],
    ['http on a loopback address other than 127.0.0.1', 'http://127.0.0.2/callback', 'https'],
    ['javascript:', 'javascript:alert(1)', 'https'],
    ['data:', 'data:text/html,hello', 'https'],
    ['a scheme of an app', 'com.example.app:/callback', 'https'],
    ['a fragment', 'https://example.com/callback#part', 'fragment'],
    ['an empty fragment', 'https://example.com/callback#', 'fragment'],
    ['a wildcard in the host', 'https://*.example.com/callback', 'wildcard'],
    ['a wildcard in the path', 'https://example.com/*', 'wildcard'],
    ['a user with a password', 'https://user:hunter2@example.com/callback', 'user name'],
    ['empty user info', 'https://@example.com/callback', 'user name'],
    ['user info that looks like the host', 'https://example.com:443@evil.example/', 'user name'],
    ['a space', 'https://example.com/call back', 'white space'],
    ['a line break', 'https://example.com/callback\r\nSet-Cookie: a=b', 'white space'],
    ['a zero width space', 'https://example.com/\u200bcallback', 'invisible'],
    ['a lone surrogate', 'https://example.com/\ud800', 'white space'],
    ['2001 characters', `https://example.com/${'a'.repeat(1981)}`, '2000'],
    ['dot segments', 'https://example.com/a/../b', '"https://example.com/b"'],
    ['encoded dot segments', 'https://example.com/a/%2e%2E/b', '"https://example.com/b"'],
    ['backslashes', 'https:\\\\example.com\\callback', '"https://example.com/callback"'],
    ['upper case in the host', 'https://Example.com/callback', '"https://example.com/callback"'],
    ['the default port', 'https://example.com:443/callback', '"https://example.com/callback"'],
    ['letters beyond ASCII', 'https://bücher.example/', '"https://xn--bcher-kva.example/"'],
    ['an address in hex', 'http://0x7f.1/callback', '"http://127.0.0.1/callback"'],
    ['an encoded host', 'https://ex%61mple.com/', '"https://example.com/"'],
  ]
  it('a redirect URI with any other form is rejected, and the error names the problem', () => {
    const wrong = REJECTED.filter(([, uri, part]) => !findRedirectUriProblem(uri)?.message.includes(part))
    expect(wrong).toEqual([])
  })

  it('the check of a redirect URI gives the same result after the engine has optimized it (fixed bug: Node 20 misread letters beyond ASCII)', () => {
    const check = () => findRedirectUriProblem('https://b\u00fccher.example/')?.expected
    const answers = new Set(Array.from({ length: 20_000 }, check))
    expect([...answers]).toEqual(['https://xn--bcher-kva.example/'])
  })

  it('the error for a redirect URI with a password does not quote the password', () => {
    expect(findRedirectUriProblem('https://user:hunter2@EXAMPLE.com/')?.message).not.toContain('hunter2')
  })

  it('every URL parser finds the same host in an accepted redirect URI', () => {
    const parts = [
      'https:',
      'http:',
      '//',
      '/',
      '\\',
      '@',
      ':',
      '#',
      '?',
      '*',
      '.',
      '..',
      '%2e',
      '\t',
      ' ',
      'A',
    ]
    const hosts = ['example.com', 'localhost', '127.0.0.1', '[::1]', 'evil.example', 'ü', '443', 'x']
    const anything = fc.array(fc.constantFrom(...parts, ...hosts), { maxLength: 10 }).map((p) => p.join(''))
    const uri = fc.oneof(anything, webUrl(), fc.string())
    fc.assert(
      fc.property(
        fc.oneof(
          uri,
          anything.map((rest) => `https://${rest}`),
          anything.map((rest) => `https://h.example/${rest}`),
        ),
        (candidate) => {
          if (findRedirectUriProblem(candidate) !== undefined) return
          const url = new URL(candidate)
          const loopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
          expect(url.protocol === 'https:' || (url.protocol === 'http:' && loopback)).toBe(true)
          expect([candidate, `${candidate}/`, candidate.replace('?', '/?')]).toContain(url.href)
          expect(candidate).toMatch(/^[\x21-\x7e]{8,2000}$/)
          expect(candidate.split('?')[0]).not.toMatch(/[#\\*]/)
          // The test finds the host without a parser: the text between the scheme and the next delimiter.
          expect(/^https?:\/\/([^/?]+)/.exec(candidate)?.[1]).toBe(url.host)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('the spelling that an error proposes is accepted', () => {
    const written = webUrl().map((uri) => uri.replace('//', '//A.').replace(/^http:/, 'https:'))
    fc.assert(
      fc.property(written, (uri) => {
        const fix = /browsers write it: "(.*)"$/.exec(findRedirectUriProblem(uri)?.message ?? '')?.[1]
        if (fix !== undefined) expect(findRedirectUriProblem(fix)).toBeUndefined()
      }),
    )
  })
})

describe('a home page', () => {
  it('a home page may have a fragment, and follows the rules of redirect URIs otherwise', () => {
    expect(findWebUriProblem('https://example.com/#about')).toBeUndefined()
    expect(findWebUriProblem('https://example.com#about')).toBeUndefined()
    expect(findWebUriProblem('javascript:alert(1)')).toMatchObject({ code: 'url-https' })
    expect(findWebUriProblem('https://example.com/<script>')?.message).toContain('%3Cscript%3E')
  })
})

describe('a logo', () => {
  it('the address of a logo must start with https, even on localhost', () => {
    expect(findLogoUriProblem('https://example.com/logo.svg')).toBeUndefined()
    expect(findLogoUriProblem('http://localhost:3000/logo.svg')?.message).toContain('https')
    expect(findLogoUriProblem('data:image/png;base64,AAAA')?.message).toContain('https')
    expect(findLogoUriProblem(7)?.message).toContain('absolute URL')
  })
})
