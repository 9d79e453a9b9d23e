import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it, vi } from 'vitest'
import { CLASSES, commandOf, findTestFiles, isQuickOnRedis, marksOf } from '../support/test-files.ts'
import { hasForeignPackages } from '../support/required-programs.ts'
import config from '../vitest.config.ts'

/** The config of a whole run depends on the environment, and that of this test has the deployments of its own project. */
const stores = vi.hoisted(() => {
  const before = process.env['TEST_STORES']
  delete process.env['TEST_STORES']
  return before
})
process.env['TEST_STORES'] = stores

const root = path.resolve(import.meta.dirname, '../..')
const names = readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
  .map((name) => `test/${name}`)

/** The number of letters that must be inserted, removed or replaced to get from one word to another. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [line, letter] of Array.from(one).entries()) {
    const next = [line + 1]
    for (const [at, own] of Array.from(other).entries()) {
      const replaced = (row[at] ?? 0) + (letter === own ? 0 : 1)
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** The segments between dots of a name that are almost a class. */
function misspeltIn(name: string): string[] {
  const aspects = path.basename(name).split('.').slice(0, -2)
  return aspects.filter((aspect) => {
    const word = aspect.toLowerCase()
    const isNear = (each: string) => word.length >= 4 && distanceOf(word, each) <= (each.length > 4 ? 2 : 1)
    return !CLASSES.some((each) => each === aspect) && CLASSES.some(isNear)
  })
}

/** What is wrong with the class or the marks of a file. */
function faultOf(name: string, text: string): string[] {
  try {
    const misspelt = misspeltIn(name).map((aspect) => `${name}: “${aspect}” is almost a class`)
    const isUnread = marksOf(text).length === 0 && /^\/\/ *also runs? on/im.test(text)
    const isInVain = commandOf(name) === 'long' && marksOf(text).length > 0
    return [
      ...misspelt,
      ...(isUnread ? [`${name}: a mark is in another line than the first, or in another form`] : []),
      ...(isInVain ? [`${name}: npm run test:long runs no file again`] : []),
    ]
  } catch (error) {
    return [`${name}: ${String(error)}`]
  }
}

it('the name of every test file has at most one class, correctly spelt, and every mark is known', () => {
  expect(names.length).toBeGreaterThan(300)
  expect(names.flatMap((name) => faultOf(name, readFileSync(path.join(root, name), 'utf8')))).toEqual([])
})

it('a misspelt class, two classes, and a wrong mark are found', () => {
  const isFound = (name: string, text = '') => faultOf(`test/a/${name}`, text).length > 0
  const wrong =
    `pages.brower pages.browsers rediss.durability redis.fault a.attacks a.packages a.Redis a.longs a.redis.faults`.split(
      ' ',
    )
  expect(wrong.filter((name) => !isFound(`${name}.test.ts`))).toEqual([])
  const right = ['pages', 'pages.browser', 'redis.durability', 'expiry.fleet.redis', 'long-host', 'a.find']
  expect(right.filter((name) => isFound(`${name}.test.ts`))).toEqual([])
  for (const mark of [
    '// Also runs on: Rediss',
    '// Also runs on: Koa 3',
    '//also runs on Redis',
    '\n// Also runs on: Redis',
  ])
    expect(isFound('a.test.ts', `${mark}\n`), mark).toBe(true)
  expect(isFound('a.test.ts', '// Also runs on: Redis, Koa 2\n')).toBe(false)
  expect(isFound('a.long.test.ts', '// Also runs on: Redis\n')).toBe(true)
})

it('every test file belongs to one command, and runs a second time only because of its mark', async () => {
  const files = findTestFiles()
  expect(files.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
  const projects = (config.test?.projects ?? []) as { test: { name: string; include: string[] } }[]
  // The files of the class `long` have a run of their own, so they belong to none of these projects.
  const projectOf = ({ command, class: own }: (typeof files)[number]) =>
    command === 'all' ? (own === 'redis' ? 'redis' : 'others') : command
  const wrong = files.flatMap((file) => {
    if (!hasForeignPackages && file.name.startsWith('test/foreign/')) return []
    const found = projects.filter(({ test }) => test.include.includes(file.name)).map(({ test }) => test.name)
    const again = found.filter((project) => project !== projectOf(file))
    // `npm test` runs some files on Redis, too, and `npm run test:all` runs the same files on SQLite.
    const isMarked = (project: string) =>
      project === 'koa-2'
        ? file.marks.includes('Koa 2')
        : file.marks.includes('Redis') && isQuickOnRedis(file.name) === (project === 'sqlite')
    const runsFirst = found.includes(projectOf(file)) !== (file.command === 'long')
    const isRight = runsFirst && again.every(isMarked) && again.length < 3
    return isRight ? [] : [`${file.name} belongs to ${found.join(', ') || 'no project'}`]
  })
  expect(wrong).toEqual([])
})
