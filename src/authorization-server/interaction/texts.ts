import { lineageOf, lookupLocale } from '../../catalog/localize.ts'
import type { Logger } from '../../host/logger.ts'
import { html, type Html, type HtmlValue } from '../../http/html.ts'
import { writingDirection } from './locale.ts'

/** Every text of the pages, in English. */
export const english = {
  /** Heading of the sign-in page. */
  signInTitle: 'Sign in',
  /** The line below the heading. `{application}` is the name of the application that requests access. */
  signInIntro: 'to continue to {application}',
  identifierLabel: 'Email or user name',
  passwordLabel: 'Password',
  signInButton: 'Sign in',
  /** This text is the same whether the account exists or not. */
  signInFailed: 'That email, user name or password is not right. Check them and try again.',
  signInIncomplete: 'Enter your email or user name and your password.',
  signInTooOften: 'Too many attempts. Wait a few minutes, then try again.',

  /** Heading of the consent page. `{service}` is the name of the host's service. */
  consentTitle: '{application} wants access to your {service} account',
  consentDeveloper: 'by {developer}',
  /** Screen readers read this text out after a link that opens in a new tab. */
  opensNewTab: '(opens in a new tab)',
  consentAccount: 'Signed in as {account}',
  switchAccountButton: 'Use another account',
  consentIntro: 'Choose what {application} may do:',
  /** Title of the group of OpenID Connect scopes. */
  consentAboutYou: 'About you',
  /** Title of the group of operations that are in none of the application's products. */
  consentOther: 'Other',
  consentGrantedBefore: 'Allowed before',
  consentDeniedBefore: 'Denied before',
  consentAlwaysIncluded: 'Always included',
  consentNothingChosen: 'Nothing is ticked. Tick at least one entry, or deny access.',
  /** `{duration}` is a time in words, such as “30 days”. */
  consentDuration: 'Access ends if {application} does not use it for {duration}.',
  /** `{address}` is the origin to which the browser goes after the decision. */
  consentReturn: 'You will be sent back to {address}.',
  approveButton: 'Allow',
  denyButton: 'Deny',

  /** The data that the OpenID Connect scopes disclose (OpenID Connect Core 5.4). */
  scopeOpenid: 'Know who you are',
  scopeProfile: 'See your profile, such as your name and picture',
  scopeEmail: 'See your email address',
  scopeAddress: 'See your postal address',
  scopePhone: 'See your phone number',
  scopeOfflineAccess: 'Keep access while you are away',
  /** Shown for a scope that is neither an operation nor one of the scopes above. */
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
  /** Label before the code of an error: “Error: invalid_request”. */
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

/** The texts for one reader. */
export interface PageTexts {
  /** Language of the texts, for the `lang` attribute. */
  readonly lang: string
  /** Writing direction of the texts, for the `dir` attribute. */
  readonly dir: 'ltr' | 'rtl'
  /** The reader's locales in order of preference, for texts from the catalog. */
  readonly locales: readonly string[]
  /** The locale for readers whose preferred locales are all unavailable. */
  readonly defaultLocale: string
  /** Language of one text: `lang`, or English if the locale does not have this text. */
  langOf(name: keyof Texts): string
  /**
   * A text as markup. It has a `lang` attribute if its language differs from the language of the page. Values
   * that are texts are put in `<bdi>`, so that they cannot change the direction of the text around them.
   */
  html(name: keyof Texts, values?: Readonly<Record<string, HtmlValue>>): Html
  /**
   * A text without markup, for the title of a window. Values are inserted unchanged. They are not isolated
   * with invisible characters, because some window lists show such characters, and some screen readers read
   * them out.
   */
  plain(name: keyof Texts, values?: Readonly<Record<string, string>>): string
}

/**
 * Limits for the number and the length of a reader's locales. Each locale is looked up for every title of the
 * consent page, so thousands of locales would cost too much time.
 */
const MAX_LOCALES = 16
const MAX_LOCALE_LENGTH = 64

/**
 * The texts of the pages in all languages. If a locale lacks a text, the text comes from the locale's parents
 * (`de` is the parent of `de-CH`). If no parent has the text, the English text is used.
 *
 * @param options.logger logs the missing texts once
 */
export function createTexts(options: {
  readonly texts: { readonly [locale: string]: Partial<Texts> }
  readonly defaultLocale: string
  readonly logger?: Logger | undefined
}) {
  const { defaultLocale, logger } = options
  const own = new Map(
    Object.entries(options.texts).map(([locale, texts]) => [locale.toLowerCase(), texts] as const),
  )
  const localeNames = ['en', ...Object.keys(options.texts)]
  const complete = new Map(
    localeNames.map((locale) => {
      const lineage = lineageOf(locale.toLowerCase()).map((tag) => own.get(tag))
      const base = isEnglish(locale) ? english : {}
      return [
        locale.toLowerCase(),
        withoutPartialSentence(Object.assign({}, base, ...lineage.toReversed())),
      ] as const
    }),
  )
  reportMissing(localeNames, complete, logger)

  return {
    /** @param wanted `ui_locales`, then the locales of Accept-Language; looked up as in RFC 4647 3.4 */
    forReader(wanted: readonly string[]): PageTexts {
      const locales = wanted.filter((tag) => tag.length <= MAX_LOCALE_LENGTH).slice(0, MAX_LOCALES)
      const lang = lookupLocale(localeNames, [...locales, defaultLocale]) ?? 'en'
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

/** Finds the texts for a reader. */
export type TextsByLocale = ReturnType<typeof createTexts>

const isEnglish = (locale: string) => /^en(-|$)/i.test(locale)

/**
 * If only one of the two texts `signInTitle` and `signInIntro` exists, removes it. The two texts form one
 * sentence, so they must be in the same language.
 */
function withoutPartialSentence(texts: Partial<Texts>): Partial<Texts> {
  const { signInTitle, signInIntro, ...others } = texts
  return signInTitle === undefined || signInIntro === undefined ? others : texts
}

/**
 * Logs, in one line for all locales, which texts are missing in a locale and are therefore shown in English.
 */
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
    'texts of the pages are missing and are shown in English',
  )
}

/**
 * Fills the values into a text, and returns the result as markup. A placeholder without a value stays as it
 * is.
 */
function fillIn(template: string, values: Readonly<Record<string, HtmlValue>>): Html {
  const parts = template.split(/\{(\w+)\}/)
  return html`${parts.map((part, index) => {
    if (index % 2 === 0) return part
    if (!(part in values)) return `{${part}}`
    const value = values[part]
    return typeof value === 'string' ? html`<bdi>${value}</bdi>` : value
  })}`
}
