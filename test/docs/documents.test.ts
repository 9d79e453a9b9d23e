import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { blocksOf, documents, filesIn, read, root, withExamples } from './pages.ts'

const pages = documents.filter((file) => file.startsWith('docs/'))

const linesOf = (file: string) => read(file).trimEnd().split('\n').length

/** The text of a document without its code blocks, which may have lines that look like headings and links. */
const proseOf = (file: string) => read(file).replace(/^ *```[^]*?^ *```$/gm, '')

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

  it('each page of docs has at most 350 lines, and of the reference 400, except the list of all source files', () => {
    expect(pages.length).toBeGreaterThan(20)
    const readable = pages.filter((file) => file !== 'docs/reference/source-files.md')
    expect(
      readable.filter((file) => linesOf(file) > (file.startsWith('docs/reference/') ? 400 : 350)),
    ).toEqual([])
  })
})

describe('the links of the documents', () => {
  it('every link leads to a file and a heading that exist', () => {
    const anchors = new Map(documents.map((file) => [file, new Set(anchorsOf(file))]))
    const broken = documents.flatMap((file) =>
      linksOf(file)
        .filter((target) => !/^(https?|mailto):/.test(target))
        .filter((target) => {
          const [name = '', anchor] = target.split('#')
          const linked = name === '' ? file : path.posix.join(path.posix.dirname(file), name)
          if (!existsSync(path.join(root, linked))) return true
          return anchor !== undefined && !anchors.get(linked)?.has(anchor)
        })
        .map((target) => `${file}: ${target}`),
    )
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
  it('every npm script and file of the repository that a document names exists', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: object }
    const names = /\b(?:src|adapters|examples|bench|test|docs)\/[\w./-]+\.(?:ts|mjs|sh|md)\b/g
    const missing = documents.flatMap((file) => {
      const commands = [...read(file).matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script)
      const files = proseOf(file).match(names) ?? []
      const isMissing = (name: string) =>
        [name, path.join(path.dirname(file), name)].every((each) => !existsSync(path.join(root, each)))
      return [...commands.filter((script) => !(script in scripts)), ...files.filter(isMissing)].map(
        (name) => `${file}: ${name}`,
      )
    })
    expect(missing).toEqual([])
  })

  it('docs/architecture.md and docs/decisions.md name only TypeScript files that exist', () => {
    const sources = ['src', 'adapters', 'test', 'examples', 'bench'].flatMap(filesIn)
    const existing = [...readdirSync(root), ...sources].map((name) => `/${name}`)
    const prose = proseOf('docs/architecture.md') + proseOf('docs/decisions.md')
    const named = [...prose.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name)
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((name) => !existing.some((each) => each.endsWith(`/${name}`)))).toEqual([])
  })

  it('the documents name only error codes that exist', () => {
    const sources = read('src/errors.ts') + read('src/parts/front-door/rejection.ts')
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
})
