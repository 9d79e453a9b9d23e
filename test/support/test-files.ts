import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * The classes of test files. A class is a segment between dots in the name of the file: `pages.browser.test.ts`. A file
 * without a class is quick.
 */
export const CLASSES = ['redis', 'postgres', 'faults', 'attack', 'browser', 'package', 'long'] as const

export type TestClass = (typeof CLASSES)[number]

/** What the first line of a file may name after `// Also runs on: `, with commas in between. */
export const MARKS = ['Redis', 'Koa 2'] as const

export type Mark = (typeof MARKS)[number]

/** The commands `npm test`, `npm run test:all` (which also runs what `npm test` runs), and `npm run test:long`. */
export type Command = 'quick' | 'all' | 'long'

export interface TestFile {
  /** The path, such as `test/errors.test.ts`. */
  readonly name: string
  /** The class, or undefined if the file is quick. */
  readonly class: TestClass | undefined
  readonly command: Command
  readonly marks: readonly Mark[]
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * All test files.
 *
 * @throws if a name has two classes, or a first line names an unknown mark
 */
export function findTestFiles(): TestFile[] {
  return filesBelow('test')
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => {
      const command = commandOf(name)
      return { name, class: classesOf(name)[0], command, marks: marksOf(readFileSync(root + name, 'utf8')) }
    })
}

/** The files in a folder and its folders, without installed packages. */
function filesBelow(folder: string): string[] {
  return readdirSync(root + folder, { withFileTypes: true }).flatMap((each) => {
    const name = `${folder}/${each.name}`
    if (!each.isDirectory()) return [name]
    return each.name === 'node_modules' ? [] : filesBelow(name)
  })
}

/** The classes in the name of a file. */
function classesOf(name: string): TestClass[] {
  const segments = name.slice(name.lastIndexOf('/') + 1).split('.')
  return CLASSES.filter((each) => segments.includes(each))
}

/**
 * The marks in the first line of a file.
 *
 * @throws if the line names an unknown mark
 */
export function marksOf(text: string): Mark[] {
  const [, list] = /^\/\/ Also runs on: (.+)/.exec(text) ?? []
  return (list?.split(', ') ?? []).map((name) => {
    const known = MARKS.find((mark) => mark === name)
    if (known) return known
    throw new Error(`“${name}” is no mark; there are: ${MARKS.join(', ')}`)
  })
}

/**
 * The command that runs a file first.
 *
 * @throws if the name has two classes
 */
export function commandOf(name: string): Command {
  const [first, second] = classesOf(name)
  if (second !== undefined) throw new Error(`${name} has two classes, ${first} and ${second}`)
  if (first === undefined) return 'quick'
  return first === 'long' ? 'long' : 'all'
}

/** Whether `npm test` runs a quick file on Redis too: the interface, the token endpoint, one-time tokens, the store contract. */
export function isQuickOnRedis(name: string): boolean {
  return (
    commandOf(name) === 'quick' &&
    /^test\/flows\/(interface|token)\/|\/one-time|\/every-deployment\./.test(name)
  )
}
