import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Words that the project no longer uses, each with the word that developers in this field use. */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  [
    /\btak(e|es|en|ing)( it| them| that)? back\b|\btook (it |them )?back\b/i,
    'revoke, or roll back (a write)',
  ],
  [/\brefus(e|es|ed|al|als|ing)\b/i, 'reject'],
  [/\b(hear|hears|heard|hearing)\b/i, 'be notified, receive, subscribe'],
  [/\b(told|tell|tells) (of|about)\b/i, 'be notified, report'],
  [/\b(whoever|somebody|nobody|anybody)\b/i, 'the caller, a client, a process, a user, …'],
  [/\banew\b/i, 'again'],
  [/\b(stands?|standing|stood)\b(?!-alone)/i, 'be, cover, depend on'],
  [/\bunder way\b|underWay/i, 'pending'],
  [/\bwhat is no\b|\bthat is none\b/i, 'what it is: a corrupt record, an unknown token, …'],
  [/\bin spite of\b/i, 'despite, although'],
  [/\bbehind the backs?\b/i, 'unnoticed, while …'],
  [/\bgiv(e|es|en|ing) way\b|giveWay/i, 'be rolled back'],
  [/\bmov(e|es|ed|ing) house\b/i, 'migrate'],
  [/\bcargo\b/i, 'section of an export'],
  [/\bshel(f|ves)\b/i, 'bucket'],
  [/\bstruck\b/i, 'failed'],
  [/\bpatience\b/i, 'timeout'],
  [/\bowe[sd]?\b/i, 'is pending'],
  [/\brecall(s|ed)?\b/i, 'get'],
  [/\bverdicts?\b/i, 'status'],
  [/\btake stock\b|takeStock/i, 'read health'],
  [/\blost contact\b|\bonLostContact\b|\bkeep-serving\b/i, "stale; whenStale: 'serve' | 'reject'"],
  [/\brefreshRetrySeconds\b/, 'refreshTokenGraceSeconds'],
  [/\bcatchUpSeconds\b/, 'pollIntervalSeconds'],
  [/\brefuseAfterSeconds\b/, 'maxStalenessSeconds'],
  [/\brevokeAllOf\b/, 'revokeAll'],
  [/\bofAccount\b/, 'list({ accountId })'],
  [/\bleftOut\b/, 'skipped'],
  [/\bERR_STORE_RECORD\b/, 'ERR_STORE_CORRUPT'],
  [/\bERR_SECRET\b/, 'ERR_SECRET_MISMATCH'],
  [/\brevocations\.(lost|current)\b(?=['`])/, 'revocations.stale, revocations.fresh'],
  [/\bkey\.promoted\b/, 'key.activated'],
]

/** Phrases that are allowed although they contain a replaced word, because other projects use them. */
const ORDINARY = /ECONNREFUSED|\bconnection(s)? (was |is |were |are )?refused|refused connection/gi

/** A replaced word that was found in a file, with its place. */
interface Finding {
  /** `path:line`, or the path alone for a file's name. */
  readonly place: string
  readonly word: string
  readonly say: string
}

/** Finds all replaced words in the name of a file, and in each line of its text. */
function findWords(file: string, text: string): Finding[] {
  const inName = findIn(path.basename(file).replaceAll('-', ' ')).map((found) => ({ place: file, ...found }))
  const inText = text
    .split('\n')
    .flatMap((line, index) => findIn(line).map((found) => ({ place: `${file}:${index + 1}`, ...found })))
  return [...inName, ...inText]
}

function findIn(line: string): { word: string; say: string }[] {
  const checked = line.replaceAll(ORDINARY, '')
  return REPLACED.flatMap(([pattern, say]) => {
    const word = pattern.exec(checked)?.[0]
    return word === undefined ? [] : [{ word, say }]
  })
}

function textFiles(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join(folder, file.replaceAll(path.sep, '/')))
    .filter((file) => /\.(ts|js|md|sh)$/.test(file))
}

const files = [
  ...readdirSync(root).filter((file) => file.endsWith('.md')),
  ...readdirSync(root, { withFileTypes: true })
    .filter((entry) => ['src', 'adapters', 'examples', 'bench', 'test', 'docs'].includes(entry.name))
    .flatMap(({ name }) => textFiles(name)),
].filter((file) => file !== 'test/package/words.package.test.ts' && !file.includes('/node_modules/'))

it('code, tests and documents contain no word that was replaced', () => {
  const found = files.flatMap((file) => findWords(file, readFileSync(path.join(root, file), 'utf8')))
  expect(found.map(({ place, word, say }) => `${place}: "${word}"; say ${say}`)).toEqual([])
})

it('a replaced word is found in a text and in a file name, with file and line', () => {
  const text = [
    '// The key is published.',
    '// Whoever takes it back has to say so.',
    'connection refused',
  ].join('\n')
  const found = findWords('src/shelf.ts', text)
  expect(found.map(({ place, word }) => `${place} ${word}`)).toEqual([
    'src/shelf.ts shelf',
    'src/shelf.ts:2 takes it back',
    'src/shelf.ts:2 Whoever',
  ])
  expect(files.length).toBeGreaterThan(500)
})
