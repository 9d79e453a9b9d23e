import { plainFetch, type PlainFetch, type PlainResponse } from './plain-fetch.ts'

/** A page as the user sees it in the browser. */
export interface Page {
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/**
 * A browser without scripts. It keeps cookies per origin and path, follows redirects and fills in forms. It
 * does not follow a redirect to an origin that is not in `follow`. It then returns a page with the address of
 * the redirect and the status 0.
 */
export function createBrowser({
  follow,
  fetch = plainFetch,
}: {
  follow: readonly string[]
  /** The function that makes requests. @default as the global `fetch` does */
  fetch?: PlainFetch | undefined
}) {
  const { cookies, cookieHeader, keepCookies } = createCookies()

  async function request(url: URL, init: RequestInit = {}): Promise<Page> {
    const response = await fetchAsBrowser(fetch, url, {
      ...init,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        cookie: cookieHeader(url),
        ...(init.headers as Record<string, string>),
      },
    })
    keepCookies(url, response.headers)
    return { url, status: response.status, headers: response.headers, body: await response.text() }
  }

  async function open(start: URL, init: RequestInit = {}): Promise<Page> {
    let page = await request(start, init)
    for (let hops = 0; hops < 15; hops += 1) {
      const location = redirectOf(page)
      if (location === undefined) return page
      const next = new URL(location, page.url)
      if (!follow.includes(next.origin)) {
        return { url: next, status: 0, headers: new Headers(), body: '' }
      }
      page = await request(next)
    }
    throw new Error(`too many redirects, at ${page.url.href}`)
  }

  return {
    cookies,
    /** The header `Cookie` of a request to an address. */
    cookieHeader,
    /** Makes one request, and follows no redirect. */
    request,
    /** Opens an address and follows redirects. */
    open: (url: string | URL) => open(new URL(url)),
    /**
     * Sends a form of a page with the fields that a browser would send. `change` overwrites fields. The value
     * null removes a field.
     */
    async submit(
      page: Page,
      options: {
        action?: RegExp | undefined
        change?: Record<string, string | string[] | null> | undefined
        button?: [name: string, value: string] | undefined
        /** Whether to follow redirects in the response. @default true */
        follow?: boolean | undefined
        /** Headers besides those of every browser. */
        headers?: Record<string, string> | undefined
      } = {},
    ): Promise<Page> {
      const form = formsOf(page).find(({ action }) => options.action?.test(action) ?? true)
      if (!form) throw new Error(`no such form on ${page.url.href}:\n${page.body}`)
      const fields = new URLSearchParams(form.fields)
      for (const [name, value] of Object.entries(options.change ?? {})) {
        fields.delete(name)
        for (const one of value === null ? [] : [value].flat()) fields.append(name, one)
      }
      if (options.button) fields.append(...options.button)
      const target = new URL(form.action, page.url)
      const send = options.follow === false ? request : open
      return send(target, {
        method: form.method,
        body: fields.toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          origin: page.url.origin,
          'sec-fetch-site': 'same-origin',
          ...options.headers,
        },
      })
    },
  }
}

/** The cookies of a browser, by name, origin and path. */
function createCookies() {
  const cookies = new Map<string, { value: string; path: string; origin: string }>()

  function cookieHeader(url: URL): string {
    return (
      [...cookies.entries()]
        .filter(([, { origin, path }]) => origin === url.origin && isBelow(url.pathname, path))
        // Sends cookies with longer paths before cookies with shorter paths (RFC 6265 5.4).
        .toSorted(([, one], [, other]) => other.path.length - one.path.length)
        .map(([key, { value }]) => `${key.split('|')[0]}=${value}`)
        .join('; ')
    )
  }

  function keepCookies(url: URL, headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/;\s*/)
      const name = pair.slice(0, pair.indexOf('='))
      const value = pair.slice(pair.indexOf('=') + 1)
      const path = attributes.find((a) => /^path=/i.test(a))?.slice(5) ?? '/'
      const key = `${name}|${url.origin}|${path}`
      const expires = attributes.find((a) => /^expires=/i.test(a))?.slice(8)
      if (expires !== undefined && Date.parse(expires) <= Date.now()) cookies.delete(key)
      else cookies.set(key, { value, path, origin: url.origin })
    }
  }

  return { cookies, cookieHeader, keepCookies }
}

/** Returns whether a page is at an address. The query of the page is ignored. */
export function isAt({ url }: Page, address: string): boolean {
  return `${url.origin}${url.pathname}` === address
}

/** Returns the address to which a page sends the browser, by a redirect or `<meta http-equiv="refresh">`. */
export function redirectOf(page: Page): string | undefined {
  const refresh = /<meta http-equiv="refresh" content="0;url=([^"]*)"/.exec(page.body)?.[1]
  if (page.status === 200 && refresh !== undefined) return unescapeHtml(refresh)
  return page.status >= 300 && page.status < 400 ? (page.headers.get('location') ?? undefined) : undefined
}

export type Browser = ReturnType<typeof createBrowser>

interface Form {
  readonly action: string
  readonly method: string
  readonly fields: [string, string][]
}

/** The forms of a page, with the fields that a browser sends if the user changes nothing. */
export function formsOf(page: Page): Form[] {
  return [...page.body.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, attributes = '', inner = '']) => ({
    action: attribute(attributes, 'action') ?? page.url.href,
    method: (attribute(attributes, 'method') ?? 'get').toUpperCase(),
    fields: [...inner.matchAll(/<input\b([^>]*)>/gs)]
      .map(([, input = '']) => input)
      .filter((input) => !/type="?(submit|checkbox|radio)/.test(input) || /\schecked\b/.test(input))
      .map((input): [string, string] => [attribute(input, 'name') ?? '', attribute(input, 'value') ?? 'on'])
      .filter(([name]) => name !== ''),
  }))
}

function attribute(tag: string, name: string): string | undefined {
  const match = new RegExp(`\\s${name}=(?:"([^"]*)"|([^\\s>]+))`).exec(tag)
  const value = match?.[1] ?? match?.[2]
  return value === undefined ? undefined : unescapeHtml(value)
}

/** The text of markup without elements. */
export function unescapeHtml(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

function isBelow(path: string, base: string): boolean {
  return base === '/' || path === base || path.startsWith(base.endsWith('/') ? base : `${base}/`)
}

/**
 * Repeats a GET if the server has just closed a kept-alive connection. This happens when a test stops a
 * server and starts another server on the same port. Browsers repeat safe requests in the same way (RFC 9112
 * 9.3.1).
 */
async function fetchAsBrowser(fetch: PlainFetch, url: URL, init: RequestInit): Promise<PlainResponse> {
  try {
    return await fetch(url, init)
  } catch (error) {
    const { code } = Object((error as Error).cause ?? error) as { code?: string }
    const mayRepeat = (init.method ?? 'GET') === 'GET'
    if ((code !== 'UND_ERR_SOCKET' && code !== 'ECONNRESET') || !mayRepeat) throw error
    return fetch(url, init)
  }
}
