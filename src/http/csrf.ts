import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import type { Person } from '../host/subject.ts'

/**
 * Creates CSRF tokens without storage: an HMAC-SHA256 of the values for which the token is valid.
 * @param keys at least 32 bytes each, newest first, and the same in all processes. The newest key issues
 *   tokens, and all keys verify them
 */
export function createCsrfTokens(keys: readonly Uint8Array[]) {
  const [newest] = keys
  if (!newest) throw new TypeError('at least one key is needed')
  const mac = (key: Uint8Array, binding: readonly (string | undefined)[]) =>
    // JSON distinguishes ('ab', 'c') from ('a', 'bc'), and an absent part from an empty one.
    createHmac('sha256', key)
      .update(JSON.stringify(['csrf', ...binding.map((part) => part ?? null)]))
      .digest()
  return {
    issue: (...binding: readonly (string | undefined)[]) => mask(mac(newest, binding)).toString('base64url'),
    /** The comparison takes the same time for every token of the right length. */
    isValid(token: string | null, ...binding: readonly (string | undefined)[]): boolean {
      const received = unmask(Buffer.from(token ?? '', 'base64url'))
      return keys.some((key) => {
        const expected = mac(key, binding)
        return received.length === expected.length && timingSafeEqual(received, expected)
      })
    },
  }
}

/** A random mask: the size of compressed pages tells an attacker nothing about the token (BREACH). */
function mask(token: Buffer): Buffer {
  const random = randomBytes(token.length)
  return Buffer.concat([random, xor(token, random)])
}

function unmask(masked: Buffer): Buffer {
  const half = masked.length / 2
  return xor(masked.subarray(0, half), masked.subarray(half))
}

function xor(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)))
}

export type CsrfTokens = ReturnType<typeof createCsrfTokens>

const TOKEN_SECONDS = 86_400

const BROWSER_ID = /^[\w-]{22}$/

interface PageReader extends Person {
  /** A browser may have sent the credentials by itself. Otherwise no cookie is needed. */
  readonly isSession: boolean
}

/**
 * Creates the CSRF tokens of one surface, such as the console at one path. A token is valid for 24 hours, for
 * the person to whom it was shown, and in the same browser: a cookie with a random id tells browsers apart.
 * @param keys as for `createCsrfTokens`
 * @param surface.issuer the cookie is `Secure` if the issuer is https. The name of the cookie contains a
 *   digest of the issuer, so that two services in one host do not share a cookie
 * @param surface.path as browsers see it, without a slash at the end
 */
export function createPageTokens(
  keys: readonly Uint8Array[],
  surface: { readonly name: string; readonly issuer: string; readonly path: string },
) {
  const { name, issuer, path } = surface
  const tokens = createCsrfTokens(keys)
  const own = JSON.stringify([name, issuer, path])
  const digest = createHash('sha256').update(own).digest('base64url')
  const cookie = `gatehouse_csrf_${digest.slice(0, 10)}`
  const attributes = `; Path=${path || '/'}; HttpOnly; SameSite=Lax${issuer.startsWith('https:') ? '; Secure' : ''}`

  /** The random id of the browser, from its cookie; undefined before a page was shown to this browser. */
  const browserOf = (ctx: Context): string | undefined => {
    const id = ctx.cookies.get(cookie, { signed: false })
    return id !== undefined && BROWSER_ID.test(id) ? id : undefined
  }

  /** Without Koa: behind an unknown proxy, Koa rejects a secure cookie. */
  function newBrowserId(ctx: Context): string {
    const id = randomBytes(16).toString('base64url')
    ctx.append('Set-Cookie', `${cookie}=${id}${attributes}`)
    return id
  }

  const bindingOf = ({ accountId, userId }: Person, browser: string | undefined, issuedAt: string) =>
    [name, path, accountId, userId, browser, issuedAt] as const

  return {
    /** Sets the cookie, unless the browser has it. */
    issue(ctx: Context, person: PageReader): string {
      const browser = person.isSession ? (browserOf(ctx) ?? newBrowserId(ctx)) : undefined
      const issuedAt = Math.floor(Date.now() / 1000).toString(36)
      return `${issuedAt}.${tokens.issue(...bindingOf(person, browser, issuedAt))}`
    },

    /** @returns `expired` for a token of this person and browser that is too old */
    check(ctx: Context, token: string | null, person: PageReader): 'valid' | 'expired' | 'invalid' {
      const [issuedAt = '', mac = ''] = (token ?? '').split('.', 2)
      const browser = person.isSession ? browserOf(ctx) : undefined
      if (person.isSession && browser === undefined) return 'invalid'
      if (!tokens.isValid(mac, ...bindingOf(person, browser, issuedAt))) return 'invalid'
      return Date.now() / 1000 - Number.parseInt(issuedAt, 36) > TOKEN_SECONDS ? 'expired' : 'valid'
    },
  }
}

export type PageTokens = ReturnType<typeof createPageTokens>

/** Demanded before the CSRF token is checked. */
const DEMANDS = {
  /** Below {auth_url}. Without headers, the CSRF token is enough: it is bound to the interaction. */
  consent: { origins: 'issuer', mayBeUnknown: true },
  /** Another host name than the issuer is possible. Without a referrer, a form sends `Origin: null`. */
  console: { origins: 'issuer and host', mayBeUnknown: true },
  /** A script can read a CSRF token of its own site, so the headers must prove its origin. */
  management: { origins: 'issuer and host', mayBeUnknown: false },
} as const

export type Surface = keyof typeof DEMANDS

/**
 * Whether a request comes from our own page, by the headers of browsers (Fetch Metadata, Origin). The CSRF
 * token is checked as well.
 * @param issuerOrigin the origin of the authorization service, which is an origin of the host too
 */
export function isFromOwnPage(ctx: Context, surface: Surface, issuerOrigin: string): boolean {
  const { origins, mayBeUnknown } = DEMANDS[surface]
  const site = ctx.get('Sec-Fetch-Site')
  const origin = ctx.get('Origin')
  if (site !== '' && site !== 'same-origin') return false
  if (origins === 'issuer') return origin === '' || origin === issuerOrigin
  // Browsers set `Sec-Fetch-Site` themselves, and proxies do not change what it means.
  if (site === 'same-origin') return true
  if (origin === '' || origin === 'null') return mayBeUnknown
  // `ctx.origin` is not used: in Koa 3 it is the header Origin itself.
  return origin === `${ctx.protocol}://${ctx.host}` || origin === issuerOrigin
}
