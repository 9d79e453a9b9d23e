import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import type { Html } from '../../http/html.ts'
import { wantedLocales } from '../../http/locale.ts'
import type { PageBranding } from '../../http/pages/document.ts'
import { createStylesheet, LOGO_TILE_RULES } from '../../http/pages/stylesheet.ts'
import { readAsset } from '../../http/read-asset.ts'
import { setPageHeaders, type PageNeeds } from '../../http/security-headers.ts'
import { consentPage, type ConsentForms, type ConsentModel } from './pages/consent.ts'
import type { Frame } from './pages/layout.ts'
import {
  continuePage,
  endPage,
  errorPage,
  issuerPage,
  signOutPage,
  type ErrorModel,
  type SignOutModel,
} from './pages/other-pages.ts'
import { signInPage, type SignInModel } from './pages/sign-in.ts'
import type { TextsByLocale } from './texts.ts'

export interface Reader {
  /** In order of preference. */
  readonly uiLocales?: readonly string[] | undefined
}

interface PageOptions extends Omit<PageNeeds, 'styleHash'> {
  readonly status?: number | undefined
}

const RULES = readAsset(new URL('./pages/interaction-pages.css', import.meta.url)) + LOGO_TILE_RULES

/** Creates the pages in the host's colours and languages. */
export function createPages(options: {
  readonly texts: TextsByLocale
  readonly branding: PageBranding
  readonly connectedApplicationsUri?: string | undefined
}) {
  const { texts, branding, connectedApplicationsUri } = options
  const css = createStylesheet(branding.accentColor, ':root', RULES)
  const styleHash = `sha256-${createHash('sha256').update(css).digest('base64')}`

  const textsFor = (ctx: Context, uiLocales?: readonly string[]) =>
    texts.forReader(wantedLocales(ctx, uiLocales))

  function write(
    ctx: Context,
    reader: Reader | undefined,
    markup: (frame: Frame) => Html,
    { status = 200, images = [], formTargets, isPreview }: PageOptions = {},
  ): void {
    const frame = { texts: textsFor(ctx, reader?.uiLocales), branding, css }
    ctx.status = status
    const ownImages = [branding.logo, ...images]
    setPageHeaders(ctx, { styleHash, images: ownImages, formTargets, isPreview })
    ctx.set('Content-Language', frame.texts.lang)
    ctx.type = 'text/html; charset=utf-8'
    ctx.body = markup(frame).toString()
  }

  return {
    textsFor,
    renderIssuer: (ctx: Context, discovery: string) =>
      write(ctx, undefined, (frame) => issuerPage(frame, discovery)),
    /** A status below 400 becomes 400. */
    renderError(ctx: Context, model: ErrorModel & Reader & { readonly status: number }) {
      const { status, text = status === 503 ? ('errorNotNow' as const) : undefined } = model
      write(ctx, model, (frame) => errorPage(frame, { ...model, text }), { status: Math.max(status, 400) })
    },
    /** The form posts `xsrf` to `action`, with `logout=yes` if the person agrees. */
    renderSignOut: (
      ctx: Context,
      model: SignOutModel & Reader & { readonly redirectOrigin?: string | undefined },
    ) => write(ctx, model, (frame) => signOutPage(frame, model), { formTargets: [model.redirectOrigin] }),
    /**
     * A redirect from a submitted form would not work: Chromium checks each address of a redirect chain against the
     * `form-action` of the form's page, which cannot list where applications and hosts end a chain.
     */
    renderContinue: (ctx: Context, next: URL, reader?: Reader) =>
      write(ctx, reader, (frame) => continuePage(frame, next)),
    /** `connected`: the browser repeats its return to an application that has used its code already. */
    renderEnd: (ctx: Context, end: 'signedOut' | 'connected') =>
      write(ctx, undefined, (frame) => endPage(frame, end)),
    renderSignIn: (ctx: Context, model: SignInModel & Reader & { readonly status?: number | undefined }) =>
      write(ctx, model, (frame) => signInPage(frame, model), model),
    renderConsent(
      ctx: Context,
      model: Omit<ConsentModel, 'connectedApplicationsUri'> &
        Reader & { readonly forms: ConsentForms; readonly status?: number | undefined },
    ): void {
      const { status, application } = model
      const markup = (frame: Frame) => consentPage(frame, { ...model, connectedApplicationsUri })
      write(ctx, model, markup, { status, images: [application.logoUri] })
    },
    renderConsentPreview(
      ctx: Context,
      model: Omit<ConsentModel, 'connectedApplicationsUri' | 'forms' | 'problem' | 'pressed'>,
    ): void {
      const state = { forms: undefined, problem: undefined, pressed: undefined, connectedApplicationsUri }
      const markup = (frame: Frame) => consentPage(frame, { ...model, ...state })
      write(ctx, undefined, markup, { images: [model.application.logoUri], isPreview: true })
    },
  }
}

export type Pages = ReturnType<typeof createPages>
