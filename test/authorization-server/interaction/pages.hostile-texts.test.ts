import type { Context } from 'koa'
import Koa from 'koa'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { createPages } from '../../../src/authorization-server/interaction/pages.ts'
import { createTexts } from '../../../src/authorization-server/interaction/texts.ts'
import { pendingConsent } from './fake-port.ts'
import { hostApp } from './host-app.ts'

const corpus = [
  `<script>alert(1)</script>`,
  `</title><script>alert(1)</script>`,
  `</style><script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `' onfocus='alert(1)' autofocus='`,
  `" onfocus="alert(1)" x="`,
  `"/><form action="https://evil.example"><button>`,
  `<!--`,
  `]]>`,
  `&#x3c;script&#x3e;alert(1)`,
  `<svg/onload=alert(1)>`,
  `<base href="https://evil.example/">`,
  `<meta http-equiv="refresh" content="0;url=https://evil.example">`,
  `{application}{service}{account}`,
  `\u0000<\u0000script>alert(1)`,
  `＜script＞`,
  `\u202E</h1>\u2066`,
  `javascript:alert(1)//`,
  '`${alert(1)}`',
  '\r\nSet-Cookie: a=b\r\n\r\n<b>',
  `data:text/html,<script>alert(1)</script>`,
]

/** Renders every page with `text` in each field that a client, a user or the host can set. */
async function renderAll(text: string): Promise<{ name: string; markup: string; policy: string }[]> {
  const texts = createTexts({ texts: { en: { denyButton: text } }, defaultLocale: 'en' })
  const pages = createPages({ texts, branding: { name: text, logo: '/logo.png', accentColor: '#1a56db' } })
  const application = {
    clientId: text,
    name: text,
    developerName: text,
    homepageUri: text,
    logoUri: text,
    privacyUri: text,
    termsUri: text,
  }
  const entry = {
    scope: text,
    title: text,
    description: text,
    status: 'granted',
    isTicked: true,
    isMandatory: false,
    isSensitive: true,
  } as const
  const consent = {
    forms: { action: text, switchAction: text, csrfToken: text },
    application,
    account: { name: text, login: text },
    groups: [
      { key: text, title: text, description: text, entries: [entry, { ...entry, isMandatory: true }] },
    ],
    accessLifetime: 60,
    destination: { origin: text },
  }
  const render: Record<string, (ctx: Context) => void> = {
    error: (ctx) =>
      pages.renderError(ctx, { status: 400, error: text, description: text, uiLocales: [text] }),
    'sign-out': (ctx) => pages.renderSignOut(ctx, { action: text, xsrf: text, redirectOrigin: text }),
    'signed-out': (ctx) => pages.renderEnd(ctx, 'signedOut'),
    continue: (ctx) => {
      const next = new URL('https://app.example/')
      next.search = text
      next.hash = text
      pages.renderContinue(ctx, next)
    },
    'sign-in': (ctx) => {
      pages.renderSignIn(ctx, {
        action: text,
        csrfToken: text,
        application,
        identifier: text,
        problem: 'signInFailed',
      })
    },
    consent: (ctx) => pages.renderConsent(ctx, consent),
    'consent-preview': (ctx) => pages.renderConsentPreview(ctx, consent),
  }
  return Promise.all(
    Object.entries(render).map(async ([name, write]) => {
      const app = new Koa()
      app.use((ctx) => write(ctx))
      const answer = await request(app.callback()).get('/').set('Accept-Language', 'en')
      return { name, markup: answer.text, policy: answer.headers['content-security-policy'] ?? '' }
    }),
  )
}

/** The elements of a page and the names of their attributes, in order, as a browser parses them. */
function skeleton(markup: string): string[] {
  const withoutStyle = markup.replace(/<style>[^<]*<\/style>/, '<style></style>')
  return [...withoutStyle.matchAll(/<(\/?[a-z!][^\s>]*)((?:\s+[\w-]+(?:="[^"]*")?)*)\s*\/?>/gi)].map(
    ([, element, attributes = '']) =>
      [element, ...[...attributes.matchAll(/([\w-]+)(?:="[^"]*")?/g)].map(([, name]) => name)].join(' '),
  )
}

describe('texts that a client, a user or the host supplies', () => {
  it('no text of a client, a user or the host changes the structure of a page', async () => {
    // Pages with a harmless text have the expected structure.
    const harmless = await renderAll('x')
    for (const text of corpus) {
      for (const [index, { name, markup, policy }] of (await renderAll(text)).entries()) {
        const expected = harmless[index]!
        expect(skeleton(expected.markup).length).toBeGreaterThan(10)
        expect([text, name, ...skeleton(markup)]).toEqual([text, name, ...skeleton(expected.markup)])
        expect(policy).toBe(expected.policy)
        // Once all tags are removed, the markup contains no `<`.
        const tagless = markup.replaceAll(/<\/?[a-z!][^<>]*>/gi, '')
        expect(tagless).not.toMatch(/</)
        expect(markup).not.toMatch(/(href|src)="(javascript|data):/i)
      }
    }
  })

  it('characters that reverse or hide text are removed from names', async () => {
    const name = 'a\u202Eb\u200Bc\u2067d'
    const pending = {
      ...pendingConsent,
      application: { ...pendingConsent.application, name, developerName: name },
      account: { accountId: 'alice', name },
    }
    const { text } = await request(hostApp({ pending }).callback).get('/auth/interaction/uid-1')
    expect(text.match(/abcd/g)?.length).toBeGreaterThanOrEqual(5)
    expect(text).not.toMatch(/[\u202E\u200B\u2067]/)
  })
})
