import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { copyPackage, runToEnd } from '../support/package-copy.ts'
import { PACKAGES, SURROUNDINGS } from './surroundings.ts'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const filesIn = (folder: string) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
    path.posix.join(folder, name),
  )

/** All documents, by their path from the root. */
const documents = [...readdirSync(root), ...filesIn('docs'), 'test/README.md'].filter((file) =>
  file.endsWith('.md'),
)
const pages = documents.filter((file) => file.startsWith('docs/'))
/** Documents whose code blocks are examples. Those of the reference are signatures. */
const withExamples = documents.filter((file) => !file.startsWith('docs/reference/'))

const linesOf = (file: string) => read(file).trimEnd().split('\n').length

/** The text of a document without its code blocks, which may have lines that look like headings and links. */
const proseOf = (file: string) => read(file).replace(/^ *```[^]*?^ *```$/gm, '')

/** The code blocks of a document in one language. */
function blocksOf(file: string, language: string): string[] {
  const fences = new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^ *\`\`\`$`, 'gm')
  return [...read(file).matchAll(fences)].map(([, indent = '', code = '']) =>
    code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  )
}

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(file: string): string[] {
  const seen = new Map<string, number>()
  return [...proseOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-')
    const count = seen.get(anchor) ?? 0
    seen.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  })
}

/** The targets of all links and pictures of a document. */
function linksOf(file: string): string[] {
  const prose = proseOf(file).replace(/`[^`]*`/g, '')
  const targets = [
    ...prose.matchAll(/\]\(([^)\s]+)\)/g),
    ...prose.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g),
  ]
  return targets.map(([, target = '']) => target)
}

describe('the length of the documents', () => {
  it('the README has at most 130 lines', () => {
    expect(linesOf('README.md')).toBeLessThanOrEqual(130)
  })

  it('the changelog of a version has at most 60 lines', () => {
    const versions = read('CHANGELOG.md')
      .split(/^(?=## )/m)
      .slice(1)
    expect(versions.length).toBeGreaterThan(0)
    expect(versions.filter((version) => version.split('\n').length > 60)).toEqual([])
  })

  it('each page of docs has at most 350 lines, except the list of all source files', () => {
    expect(pages.length).toBeGreaterThan(20)
    const readable = pages.filter((file) => file !== 'docs/reference/source-files.md')
    expect(readable.filter((file) => linesOf(file) > 350)).toEqual([])
  })
})

describe('the links of the documents', () => {
  it.each(documents)('%s links to files and headings that exist', (file) => {
    const broken = linksOf(file)
      .filter((target) => !/^(https?|mailto):/.test(target))
      .filter((target) => {
        const [name = '', anchor] = target.split('#')
        const linked = name === '' ? file : path.posix.join(path.posix.dirname(file), name)
        if (!existsSync(path.join(root, linked))) return true
        return anchor !== undefined && !anchorsOf(linked).includes(anchor)
      })
    expect(broken).toEqual([])
  })

  it('the index of docs links to every page', () => {
    const linked = new Set(
      ['docs/README.md', 'docs/reference/README.md'].flatMap((file) =>
        linksOf(file).map((target) => path.posix.join(path.posix.dirname(file), target.split('#')[0] ?? '')),
      ),
    )
    expect(pages.filter((file) => file !== 'docs/README.md' && !linked.has(file))).toEqual([])
  })

  it('each page of docs links back to the index', () => {
    const lost = pages.filter((file) => path.dirname(file) === 'docs' && file !== 'docs/README.md')
    expect(lost.filter((file) => !linksOf(file).includes('README.md'))).toEqual([])
  })
})

describe('the names in the documents', () => {
  it.each(documents)('%s names npm scripts and files of the repository that exist', (file) => {
    const { scripts } = JSON.parse(read('package.json'))
    const commands = [...read(file).matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script)
    const files = [
      ...proseOf(file).matchAll(/\b(?:src|adapters|examples|bench|test|docs)\/[\w./-]+\.(?:ts|mjs|sh|md)\b/g),
    ]
    expect(commands.filter((script) => !(script in scripts))).toEqual([])
    const inFolder = path.dirname(file)
    const missing = files
      .map(([name]) => name)
      .filter(
        (name) =>
          ![name, path.join(inFolder, name)].some((candidate) => existsSync(path.join(root, candidate))),
      )
    expect(missing).toEqual([])
  })

  it.each(['docs/architecture.md', 'docs/which-file.md'])(
    '%s names only TypeScript files that exist',
    (file) => {
      const sources = ['src', 'adapters', 'test', 'examples', 'bench'].flatMap(filesIn)
      const existing = [...readdirSync(root), ...sources].map((name) => `/${name}`)
      const named = [...proseOf(file).matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name)
      expect(named.length).toBeGreaterThan(20)
      expect(named.filter((name) => !existing.some((each) => each.endsWith(`/${name}`)))).toEqual([])
    },
  )

  it('the documents name only error codes that exist', () => {
    const sources = read('src/errors.ts') + read('src/front-door/rejection.ts')
    const codes = new Set(
      [...sources.matchAll(/^ {2}(?:(ERR_\w+): \d+|\w+: \[\d+, '(ERR_\w+)'\]),$/gm)].map(
        ([, service, door]) => service ?? door,
      ),
    )
    expect(codes.size).toBeGreaterThan(10)
    const named = withExamples.flatMap((file) => read(file).match(/\bERR_[A-Z_]+\b/g) ?? [])
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((code) => !codes.has(code))).toEqual([])
  })

  it('the page about the log has every line of a level above info', () => {
    const page = read('docs/warnings-in-the-log.md')
    const sources = [...filesIn('src'), ...filesIn('adapters')].filter((file) => file.endsWith('.ts'))
    const lines = sources.flatMap((file) => [
      ...read(file).matchAll(/\blogger\??\.(?:warn|error)\([^;'`]*?(['`])(.{8,}?)\1,?\s*\)/g),
    ])
    const starts = lines.map(([, , line = '']) => line.replace(/^\$\{\w+\} /, '').slice(0, 16))
    expect(starts.length).toBeGreaterThan(30)
    expect(starts.filter((start) => !page.includes(start.split('${')[0] ?? ''))).toEqual([])
  })

  it('a page with measured figures names the script that measures them', () => {
    const measured = withExamples.filter((file) => /\bmeasured\b/i.test(proseOf(file)))
    expect(measured.length).toBeGreaterThan(0)
    expect(measured.filter((file) => !/\b(bench|endurance)\/[\w-]+\.ts\b/.test(read(file)))).toEqual([])
  })
})

describe('the code in the documents', () => {
  let remove: (() => Promise<void>) | undefined
  afterAll(() => remove?.())

  it('a code block that names a file is that file', () => {
    const named = withExamples.flatMap((file) =>
      [...read(file).matchAll(/<!-- ((?:examples|test)\/[\w./-]+) -->\s+```ts\n([^]*?)```/g)].map(
        ([, name = '', code = '']) => ({
          name,
          code,
        }),
      ),
    )
    expect(named.map(({ name }) => name)).toContain('examples/minimal.ts')
    for (const { name, code } of named) expect(code, name).toBe(read(name))
  })

  it('a code block that is from a file is a part of that file', () => {
    // Prettier changes the indentation of a block, so it is not compared.
    const plain = (code: string) => code.replaceAll(/^ +/gm, '').trim()
    const parts = withExamples.flatMap((file) =>
      [...read(file).matchAll(/<!-- from (examples\/[\w./-]+) -->\s+```js\n([^]*?)```/g)].map(
        ([, name = '', code = '']) => ({ name, code: plain(code) }),
      ),
    )
    expect(parts.length).toBeGreaterThan(2)
    for (const { name, code } of parts) expect(plain(read(name)), name).toContain(code)
  })

  it('the quick start has at most 40 lines', () => {
    expect(linesOf('examples/minimal.ts')).toBeLessThanOrEqual(40)
  })

  it('every JSON block parses', () => {
    const blocks = withExamples.flatMap((file) => blocksOf(file, 'json'))
    expect(blocks.length).toBeGreaterThan(0)
    for (const block of blocks) expect(() => JSON.parse(block), block).not.toThrow()
  })

  it('every TypeScript block compiles', async () => {
    const copy = await copyPackage()
    remove = copy.remove
    const folder = path.join(copy.folder, 'documents')
    await mkdir(folder)
    const blocks = withExamples.flatMap((file) =>
      blocksOf(file, 'ts').map((code, i) => ({ name: `${file.replaceAll(/[./]/g, '-')}-${i + 1}.ts`, code })),
    )
    expect(blocks.length).toBeGreaterThan(40)
    await Promise.all(
      blocks.map(({ name, code }) => writeFile(path.join(folder, name), `${code}\nexport {}\n`)),
    )
    await writeFile(path.join(folder, 'surroundings.d.ts'), SURROUNDINGS)
    await writeFile(path.join(folder, 'packages.d.ts'), PACKAGES)
    await writeFile(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: '../tsconfig.json',
        compilerOptions: {
          noUnusedLocals: false,
          noUnusedParameters: false,
          rootDir: '..',
          outDir: '../dist',
        },
        include: ['.'],
      }),
    )
    await runToEnd(folder, process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc')])
  }, 120_000)
})
