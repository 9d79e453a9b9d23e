import { lookupLocale } from '../../catalog/localize.ts'
import type { Logger } from '../../host/logger.ts'
import { html, type Html, type HtmlValue } from '../../http/html.ts'
import { parentsOf, writingDirection } from './locale.ts'

/** Every text of the pages, in English. */
export const english = {
  /** Heading of the sign-in page. */
  signInTitle: 'Sign in',
  /** Below it. `{application}` is who asked. */
  signInIntro: 'to continue to {application}',
  identifierLabel: 'Email or user name',
  passwordLabel: 'Password',
  signInButton: 'Sign in',
  /** The same whether the account exists or not. */
  signInFailed: 'That email, user name or password is not right. Check them and try again.',
  signInIncomplete: 'Enter your email or user name and your password.',
  signInTooOften: 'Too many attempts. Wait a few minutes, then try again.',

  /** Heading of the consent page. `{service}` is the host's service. */
  consentTitle: '{application} wants access to your {service} account',
  consentDeveloper: 'by {developer}',
  /** Read out after a link that opens a new tab. */
  opensNewTab: '(opens in a new tab)',
  consentAccount: 'Signed in as {account}',
  switchAccountButton: 'Use another account',
  consentIntro: 'Choose what {application} may do:',
  /** Title of the group of OpenID Connect scopes. */
  consentAboutYou: 'About you',
  /** Title of the group of operations that are in no product. */
  consentOther: 'Other',
  consentGrantedBefore: 'Allowed before',
  consentDeniedBefore: 'Denied before',
  consentAlwaysIncluded: 'Always included',
  consentNothingChosen: 'Nothing is ticked. Tick at least one entry, or deny access.',
  /** `{duration}` is written out: “30 days”. */
  consentDuration: 'Access ends if {application} does not use it for {duration}.',
  /** `{address}` is where the browser goes afterwards. */
  consentReturn: 'You will be sent back to {address}.',
  approveButton: 'Allow',
  denyButton: 'Deny',

  /** What the OpenID Connect scopes give away (OpenID Connect Core 5.4). */
  scopeOpenid: 'Know who you are',
  scopeProfile: 'See your profile, such as your name and picture',
  scopeEmail: 'See your email address',
  scopeAddress: 'See your postal address',
  scopePhone: 'See your phone number',
  scopeOfflineAccess: 'Keep access while you are away',
  /** Any other scope that is no operation. */
  scopeOther: 'See your data “{scope}”',

  signOutTitle: 'Sign out of {service}?',
  signOutIntro: 'You asked to be signed out. Applications keep the access that you gave them.',
  signOutButton: 'Sign out',
  staySignedInButton: 'Stay signed in',
  signedOutTitle: 'You are signed out',
  signedOutIntro: 'You can close this page.',

  /** Shown for a moment between two pages. */
  continueTitle: 'One moment',
  continueIntro: 'You are being sent on.',
  continueLink: 'Continue',

  /** Heading of the error page. */
  errorTitle: 'This did not work',
  errorHint: 'Go back to the application that you came from and start again.',
  /** Before the code of an error: “Error: invalid_request”. */
  errorCodeLabel: 'Error',
  errorExpired: 'This page has expired, or belongs to another browser.',
  errorForm: 'The form could not be checked, so nothing was done.',
  errorBody: 'The form could not be read, so nothing was done.',
  errorMethod: 'This address cannot be used in that way.',
  errorNoSignIn: 'Signing in is not set up here.',
  errorNotFound: 'There is nothing at this address.',
}

/** Every text of the pages. Names in braces stand for values: `{application}`. */
export type Texts = { readonly [Name in keyof typeof english]: string }

/** The texts as one reader gets them. */
export interface PageTexts {
  /** Language of the texts, for `lang`. */
  readonly lang: string
  /** For `dir`. */
  readonly dir: 'ltr' | 'rtl'
  /** What the reader would like to read, in order; for texts that come from elsewhere. */
  readonly locales: readonly string[]
  /** Locale of who asks for none of ours. */
  readonly defaultLocale: string
  /** Language of one text: that of all, or English where the locale has no such text. */
  langOf(name: keyof Texts): string
  /**
   * A text as markup, marked where it is of another language than the page. Values that are texts are kept apart by
   * `<bdi>`, so that none of them turns the rest around.
   */
  html(name: keyof Texts, values?: Readonly<Record<string, HtmlValue>>): Html
  /**
   * A text without markup, for the title of a window. Values stand in it as they are: some window lists and
   * screen readers show or read out the invisible characters that would keep them apart.
   */
  plain(name: keyof Texts, values?: Readonly<Record<string, string>>): string
}

/**
 * Locales that are looked at, and characters that one may have: each is looked up for every title of the consent
 * page, and whoever sends thousands of them wants to keep us busy.
 */
const MAX_LOCALES = 16
const LONGEST_TAG = 64

/** Finds the texts for a reader. */
export interface TextsByLocale {
  /** @param wanted `ui_locales`, then those of Accept-Language; looked up after RFC 4647 3.4 */
  forReader(wanted: readonly string[]): PageTexts
}

/** Texts that are read as one sentence: if a locale has not all of them, it has none of them. */
const READ_TOGETHER: readonly (readonly (keyof Texts)[])[] = [['signInTitle', 'signInIntro']]

/**
 * The texts of the pages in all their languages. What a locale leaves out comes from its parents (`de` for
 * `de-CH`), and then from English: whole sentences, with all that the page puts into them.
 *
 * @param options.logger told once which texts are missing
 */
export function createTexts(options: {
  readonly texts: { readonly [locale: string]: Partial<Texts> }
  readonly defaultLocale: string
  readonly logger?: Logger | undefined
}): TextsByLocale {
  const { defaultLocale, logger } = options
  const own = new Map(
    Object.entries(options.texts).map(([locale, texts]) => [locale.toLowerCase(), texts] as const),
  )
  const spelling = ['en', ...Object.keys(options.texts)]
  const complete = new Map(
    spelling.map((locale) => {
      const lineage = [...parentsOf(locale), locale].map((tag) => own.get(tag.toLowerCase()) ?? {})
      const base = isEnglish(locale) ? english : {}
      return [locale.toLowerCase(), withoutHalves(Object.assign({}, base, ...lineage))] as const
    }),
  )
  reportMissing(spelling, complete, logger)

  return {
    forReader(wanted) {
      const locales = wanted.filter((tag) => tag.length <= LONGEST_TAG).slice(0, MAX_LOCALES)
      const lang = lookupLocale(spelling, [...locales, defaultLocale]) ?? 'en'
      const texts = complete.get(lang.toLowerCase()) ?? english
      const textOf = (name: keyof Texts) => texts[name] ?? english[name]
      return {
        lang,
        dir: writingDirection(lang),
        locales,
        defaultLocale,
        langOf: (name) => (texts[name] === undefined ? 'en' : lang),
        html(name, values = {}) {
          const sentence = fillIn(textOf(name), values)
          return texts[name] === undefined ? html`<span lang="en" dir="ltr">${sentence}</span>` : sentence
        },
        plain: (name, values = {}) =>
          textOf(name).replaceAll(/\{(\w+)\}/g, (whole, placeholder: string) => {
            return values[placeholder] ?? whole
          }),
      }
    },
  }
}

const isEnglish = (locale: string) => /^en(-|$)/i.test(locale)

/** Takes out what would be read together with English. */
function withoutHalves(texts: Partial<Texts>): Partial<Texts> {
  const halves = READ_TOGETHER.filter((names) => names.some((name) => texts[name] === undefined)).flat()
  return Object.fromEntries(Object.entries(texts).filter(([name]) => !halves.includes(name as keyof Texts)))
}

/** Tells operators of what readers get in English, in one line for all locales. */
function reportMissing(
  locales: readonly string[],
  complete: ReadonlyMap<string, Partial<Texts>>,
  logger: Logger | undefined,
): void {
  const names = Object.keys(english) as (keyof Texts)[]
  const missing = locales
    .map((locale) => [
      locale,
      names.filter((name) => complete.get(locale.toLowerCase())?.[name] === undefined),
    ])
    .filter(([, absent]) => absent?.length)
  if (missing.length === 0) return
  logger?.warn(
    { missing: Object.fromEntries(missing) },
    'texts of the pages are missing, and are shown in English',
  )
}

/** A text with its values as markup. A placeholder without a value stays as it is. */
function fillIn(template: string, values: Readonly<Record<string, HtmlValue>>): Html {
  const parts = template.split(/\{(\w+)\}/)
  return html`${parts.map((part, index) => {
    if (index % 2 === 0) return part
    if (!(part in values)) return `{${part}}`
    const value = values[part]
    return typeof value === 'string' ? html`<bdi>${value}</bdi>` : value
  })}`
}
