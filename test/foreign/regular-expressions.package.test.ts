import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { check } from 'recheck'
import { parseAst } from 'rolldown/parseAst'
import { describe, expect, it, vi } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')

/** A regular expression of the sources. `source` is undefined if it is known only at run time. */
interface Expression {
  readonly place: string
  readonly source: string | undefined
  readonly flags: string
}

interface Node {
  readonly type?: string
  readonly [member: string]: unknown
}

/** Finds the regular expressions of a file: literals, and what is handed to `RegExp`. */
function expressionsOf(file: string, text: string): Expression[] {
  const found: Expression[] = []
  const add = (source: string | undefined, flags: string | undefined) =>
    found.push({ place: file, source: flags === undefined ? undefined : source, flags: flags ?? '' })

  function visit(node: unknown): void {
    if (Array.isArray(node)) return node.forEach(visit)
    if (typeof node !== 'object' || node === null) return undefined
    const { type, regex, callee, name, arguments: given = [] } = node as Node
    // A type, such as `pattern: RegExp`.
    if (type === 'TSTypeReference') return undefined
    if (isRegExp(callee)) {
      const [source, flags] = given as readonly unknown[]
      add(textOf(source), flags === undefined ? '' : textOf(flags))
      return visit(given)
    }
    // Another use of `RegExp` may hand an expression to it later.
    if (type === 'Identifier' && name === 'RegExp') add(undefined, '')
    if (regex !== undefined) add(...(Object.values(regex as object) as [string, string]))
    return Object.values(node).forEach(visit)
  }
  visit(parseAst(text, { lang: file.endsWith('.ts') ? 'ts' : 'js' }))
  return found
}

const isRegExp = (node: unknown) => (node as Node | undefined)?.['name'] === 'RegExp'

/** The text of a string that is written in the source. */
function textOf(node: unknown): string | undefined {
  const { value, quasis, expressions } = (node ?? {}) as Node
  if (typeof value === 'string') return value
  const isWhole = Array.isArray(expressions) && expressions.length === 0
  return isWhole ? (quasis as { value: { cooked: string } }[])[0]?.value.cooked : undefined
}

/**
 * Why an expression is not known to be safe: whether its time can grow with more than the length of a text. No time limit
 * ends the check, so a busy machine gives the same answer.
 *
 * @returns undefined if it is safe
 */
async function findProblem({ place, source, flags }: Expression): Promise<string | undefined> {
  if (source === undefined) return `${place}: write each regular expression as a literal`
  const limits = { timeout: null, attackTimeout: null, incubationTimeout: null }
  const result = await check(source, flags, limits)
  return result.status === 'safe' ? undefined : `${place}: /${source}/${flags} is ${result.status}`
}

async function findProblems(expressions: readonly Expression[]): Promise<string[]> {
  // A program for this platform takes a fifth of the time of the JavaScript. It ends with the worker of the test.
  vi.stubEnv('RECHECK_BACKEND', `${process.platform} ${process.arch}` === 'linux x64' ? 'native' : 'pure')
  const problems: string[] = []
  const different = new Map(expressions.map((each) => [`${each.source} ${each.flags}`, each]))
  for (const expression of different.values()) {
    problems.push(...[(await findProblem(expression)) ?? []].flat())
    // Lets vitest send its messages.
    await setImmediate()
  }
  vi.unstubAllEnvs()
  return problems
}

describe('the regular expressions of src and adapters', () => {
  it('each takes time in proportion to the length of the text, whatever the text is', async () => {
    const files = ['src', 'adapters'].flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.[cm]?[jt]s$/.test(name))
        .map((name) => `${folder}/${name}`),
    )
    const all = files.flatMap((file) => expressionsOf(file, readFileSync(path.join(root, file), 'utf8')))
    expect(all.length).toBeGreaterThan(150)
    expect(await findProblems(all)).toEqual([])
  }, 600_000)

  it.each([
    String.raw`const ADDRESS = /^(https?:\/\/[^/?#\\@\s]+)(.*)$/i`,
    String.raw`const cut = segment.replace(/[;?#].*$/, '')`,
    String.raw`const trimmed = base.replace(/\/+$/, '')`,
    String.raw`const nested = new RegExp('^(a+)+$', 'u')`,
    'const called = RegExp(`(a|a)*b`)',
    'const composed = new RegExp(`^${pattern}$`)',
    'const flags = new RegExp("a", given)',
    'const Other = RegExp',
  ])('an expression that is not known to be safe is found: %s', async (text) => {
    expect(await findProblems(expressionsOf('a.ts', text))).toHaveLength(1)
  })

  it.each([
    String.raw`const ADDRESS = /^(https?:\/\/[^/?#\\@\s]+)(.*)$/is`,
    'const text: RegExp = new RegExp(`^a+$`)',
    'const quotient = a / b / c',
  ])('a safe expression passes: %s', async (text) => {
    expect(await findProblems(expressionsOf('a.ts', text))).toEqual([])
  })
})
