import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { CLIENT_FIELDS } from '../../../src/clients/client-fields.ts'
import { createConsoleTexts, english, german } from '../../../src/parts/console/texts.ts'
import { germanChecks } from '../../../src/parts/console/texts/german-checks.ts'
import { silentLogger } from '../../../src/host/logger.ts'
import type { PageText } from '../../../src/http/pages/texts.ts'

/** The values of a text, from all its plural forms. */
const valuesOf = (text: PageText) => [...new Set(JSON.stringify(text).match(/\{\w+\}/g))].toSorted()

const names = Object.keys(english) as (keyof typeof english)[]

const folder = path.resolve(import.meta.dirname, '../../../src/parts/console')

/** The sources of the console without its texts, and the tables of fields and of actions, which name texts. */
const sources = [
  ...readdirSync(folder, { recursive: true, encoding: 'utf8' }),
  '../front-door/client-actions.ts',
  '../front-door/credential-actions.ts',
]
  .filter((file) => file.endsWith('.ts') && !file.startsWith('texts'))
  .concat('../../clients/client-fields.ts')
  .map((file) => readFileSync(path.join(folder, file), 'utf8'))
  .join('\n')

/** The names of the words with which the audit trail names fields. */
const fieldWords = Object.values(CLIENT_FIELDS)
  .flatMap((fields) => Object.keys(fields))
  .map((field) => `activityField${field.charAt(0).toUpperCase()}${field.slice(1)}`)

/** The names of the texts of problems, from the codes that `src/errors.ts` lists. */
const problemWords = [
  ...readFileSync(path.join(folder, '../../errors.ts'), 'utf8').matchAll(/\| '([a-z-]+)'/g),
].map(([, code]) => `problem-${code}`.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()))

/** The names that the sources write out or make: of fields and problems, and by `word(kind, …)` for both kinds. */
const written = new Set([
  ...fieldWords,
  ...problemWords,
  'problemFormExpired',
  'problemNoProduct',
  'problemOtherName',
  ...[...sources.matchAll(/'([a-zA-Z0-9]+)'/g)].map(([, name]) => name),
  ...[...sources.matchAll(/\bword\(kind, '(\w+)'\)|'clients\*(\w+)'/g)].flatMap(([, rest, inTable]) => [
    `clientsKey${rest ?? inTable}`,
    `clientsApp${rest ?? inTable}`,
  ]),
])
/** The names that begin with `${of}` in the table of actions. */
for (const [, rest] of sources.matchAll(/`\$\{of\}(\w+)`/g)) written.add(`clients${rest}`).add(`keys${rest}`)

/** The names that templates such as `clientsColumn${name}` make. */
const templates = [...sources.matchAll(/\b(?:html|plain)\(`(\w+)\$\{[^`{}]+\}(\w*)`/g)].map(
  ([, start, end]) => new RegExp(`^${start}[A-Z]\\w*${end}$`),
)

/** German words that have one equivalent in the console, and that equivalent. */
const OTHER_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bFunktion(en)?\b/, 'Operation'],
  [/\b(ent|ge|ab)?(ge)?sperr/i, 'deaktivieren, aktivieren'],
  [/geheimnis/i, 'Secret'],
  [/offen(ge|zu)?leg|kompromittier|geleakt/i, 'Leck melden'],
  [/\b(an(ge|zu)?leg(t|en|e)|lege?n? [^.]*\ban)\b|erzeug|generier/i, 'erstellen'],
  [/applikation/i, 'Anwendung'],
  [/zugriffstoken/i, 'Access-Token'],
  [/prüfstufe/i, 'Verifizierungsstufe'],
  [/\b(der|den) Zugang\b(?! der)/i, 'Client'],
  [/inhaber/i, 'Besitzer'],
  [/benutz(?!er)/i, 'nutzen'],
  [/bekomm\w* (\w+ )?tokens|tokens (\w+ )?bekomm/i, 'Tokens erhalten'],
  [/widerrufsendpunkt/i, 'Revocation-Endpoint'],
  [/redirect-adresse/i, 'Redirect-URI'],
  [/aussteller/i, 'Issuer'],
  [/\bIds?\b|kennung/, 'ID'],
  [/ je (Zeile|Minute|Tag)/, 'pro'],
  [/\bAPI[- ]?keys?\b/i, 'API-Schlüssel'],
  [/anwendung(en)? (wird |werden |ist |sind |wurden? )?(zu )?(ge)?trennt?en?\b/i, 'Verbindung trennen'],
]

describe('the texts of the console', () => {
  it('each text is used by a page, and is there in German, with the same values, a form for each number, and the one word for each thing', () => {
    const wrong = names.flatMap((name) => {
      const [here, there]: [PageText, PageText] = [english[name], german[name]]
      const isUsed = written.has(name) || templates.some((template) => template.test(name))
      const text = JSON.stringify(there)
      const problems = OTHER_WORDS.filter(([other]) => other.test(text)).map(([, word]) => `say ${word}`)
      if (!isUsed) problems.push('no page uses it')
      if (typeof there !== typeof here) problems.push('without German, or without a form for each number')
      else if (String(valuesOf(there)) !== String(valuesOf(here)))
        problems.push('with other values in German')
      return problems.map((problem) => `${name}: ${problem}`)
    })
    expect(names.length).toBeGreaterThan(500)
    expect(wrong).toEqual([])
  })

  it('each check of health has a German text: its subject, a colon, and what to do', () => {
    const root = path.join(folder, '../../..')
    const below = (start: string) =>
      readdirSync(path.join(root, start), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => readFileSync(path.join(root, start, file), 'utf8'))
    const namesIn = (texts: string[]) =>
      texts
        .filter((text) => text.includes('check-results.ts'))
        .flatMap((text) => [
          ...text.matchAll(/(?:\b(?:pass|warn|fail|unknown|found)\(\s*|const name = )'([a-z. -]+)'[,\n]/g),
        ])
        .map(([, name]) => name)
    const ofStores = namesIn(below('adapters')).map((name) => `store.${name}`)
    const found = new Set([...namesIn(below('src')), ...ofStores])
    expect(new Set(germanChecks.keys())).toEqual(found)
    for (const text of germanChecks.values()) expect(text).toMatch(/^[A-ZÄÖÜ][^.:]+: [A-ZÄÖÜ][^:]*\.$/)
  })

  it('English and German are complete, so nothing is reported for them', () => {
    const warn = vi.fn()
    createConsoleTexts({ texts: { de: {} }, defaultLocale: 'de', logger: { ...silentLogger, warn } })
    expect(warn).not.toHaveBeenCalled()
  })

  it('the missing texts of a further locale are reported once, and shown in English', () => {
    const warn = vi.fn()
    const texts = createConsoleTexts({
      texts: { fr: { navApiKeys: 'Clés API' } },
      defaultLocale: 'en',
      logger: { ...silentLogger, warn },
    })
    expect(warn).toHaveBeenCalledTimes(1)
    const [{ missing }, message] = warn.mock.calls[0] ?? []
    expect(missing.fr).toHaveLength(names.length - 1)
    expect(missing.fr).not.toContain('navApiKeys')
    expect(message).toContain('console')
    const french = texts.forReader(['fr'])
    expect(french.plain('navApiKeys')).toBe('Clés API')
    expect(french.html('navOverview').toString()).toBe('<span lang="en" dir="ltr">Overview</span>')
  })

  it('a text of the host replaces ours, also in German and in English', () => {
    const texts = createConsoleTexts({
      texts: { de: { navOperator: 'Leitstand' }, en: { navOperator: 'Control room' } },
      defaultLocale: 'en',
      logger: silentLogger,
    })
    expect(texts.forReader(['de-AT']).plain('navOperator')).toBe('Leitstand')
    expect(texts.forReader(['en-GB']).plain('navOperator')).toBe('Control room')
    expect(texts.forReader(['de']).plain('navApiKeys')).toBe('API-Schlüssel')
  })
})
