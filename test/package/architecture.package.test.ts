import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { ENTRIES } from '../../rolldown.config.ts'
import { loadedBySources, PACKAGES_OF_ENTRIES } from './entries.ts'
import { circlesOf, drawing, folderOf, forbiddenImports, importsOf } from './layers.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** The paths of all files below `folder`, from the root of the repository and separated by `/`. */
const filesBelow = (folder: string) =>
  readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'))

const sources = [...filesBelow('src'), ...filesBelow('adapters')].filter((file) => file.endsWith('.ts'))
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const linesOf = (file: string) => read(file).split('\n').length - 1

/** Maps each file to the files that it imports. `isIncluded` selects the imports that count. */
function graphOf(
  files: readonly string[],
  isIncluded: (each: { isTypeOnly: boolean }) => boolean = () => true,
) {
  return new Map(
    files.map((file) => [
      file,
      importsOf(file, read(file)).flatMap((each) => (each.file && isIncluded(each) ? [each.file] : [])),
    ]),
  )
}

// layers.ts lists the layers of the source tree. Each layer has folders or single files.
/** The optional parts and their entries. */
const PARTS = /^src\/(parts\/|(console|management|backup|leak-reports|usage|limits|openapi|mcp)\.ts)/

describe('imports between the layers of the source tree', () => {
  it('no file of src and adapters imports a file that is not in a lower layer, or a package that its own folder may not use', () => {
    expect(sources.length).toBeGreaterThan(200)
    expect(sources.filter((file) => file.startsWith('adapters/')).length).toBeGreaterThanOrEqual(2)
    expect(sources.flatMap((file) => importsOf(file, read(file))).length).toBeGreaterThan(sources.length)

    expect(sources.flatMap((file) => forbiddenImports(file, read(file)))).toEqual([])
  })

  it('no files import one another in a circle, type-only imports included', () => {
    expect(circlesOf(graphOf(sources))).toEqual([])
    expect(
      circlesOf(
        new Map([
          ['a', ['b']],
          ['b', ['c']],
          ['c', ['b']],
        ]),
      ),
    ).toEqual([['b', 'c']])
  })

  it('CONTRIBUTING.md draws the layers as the table has them', () => {
    expect(read('CONTRIBUTING.md')).toContain(`\`\`\`\n${drawing()}\n\`\`\``)
  })

  it('only src/authorization-server/provider imports oidc-provider', () => {
    const importers = sources.filter((file) => /from 'oidc-provider/.test(read(file)))
    expect(importers.length).toBeGreaterThan(0)
    expect(importers.filter((file) => !file.startsWith('src/authorization-server/provider/'))).toEqual([])
  })

  it('one file reads the members of indexes: all others read them by its loop', () => {
    const readers = sources.filter(
      (file) => file.startsWith('src/') && !file.startsWith('src/testing/') && /\.range\(/.test(read(file)),
    )
    expect(readers).toEqual(['src/store/pages-of-index.ts', 'src/store/resilient-store.ts'])
  })

  it("the network address of a caller is read from the host's context, never from that of oidc-provider", () => {
    // The type of `requesterOf` rejects the context of oidc-provider. This finds what reads the address without it.
    const readers = sources
      .filter((file) => file.startsWith('src/authorization-server/provider/'))
      .flatMap((file) =>
        [...read(file).matchAll(/[\w.()]*\.(?:ips?|remoteAddress)\b/g)].map(([text]) => text),
      )
    expect(readers.length).toBeGreaterThan(0)
    expect(readers.filter((text) => !text.endsWith('.host.ip'))).toEqual([])
  })

  it.each(ENTRIES)(
    '$name loads at run time the packages of the table, and no part but its own',
    ({ name, source }) => {
      const loaded = loadedBySources(source)
      expect(loaded.packages).toEqual(PACKAGES_OF_ENTRIES[name])
      const parts = loaded.files.flatMap(
        (file) => /^src\/parts\/(?!front-door)([^/]+)\//.exec(file)?.[1] ?? [],
      )
      const [own] = parts
      // The helpers for tests include the comparison of the catalog with the API.
      const expected = name === 'koa-gatehouse/testing' ? 'koa-gatehouse/openapi' : name
      expect(parts.filter((part) => expected !== `koa-gatehouse/${part}`)).toEqual([])
      // A part finds the gatehouse that the host has created. It does not load the core a second time.
      if (own !== undefined) {
        const composed = loaded.files.filter((file) => file.startsWith('src/gatehouse/'))
        // The part for MCP servers needs a gateway alone, which may be in another process than the gatehouse.
        const found = own === 'mcp' ? [] : ['src/gatehouse/internals.ts']
        expect(composed).toEqual(found)
      }
    },
  )

  it('each forbidden import is found, and an allowed import passes', () => {
    const forbidden = [
      ['src/authorization-server/interaction/routes.ts', `import Provider from 'oidc-provider'`],
      ['src/gateway/verify-token.ts', `import {\n  revoke,\n} from '../access/token-service.ts'`],
      ['src/store/collection.ts', `import type { Catalog } from '../catalog/catalog.ts'`],
      ['src/errors.ts', `import { silentLogger } from './host/logger.ts'`],
      ['src/access/token-service.ts', `import { createGatehouse } from '../gatehouse/gatehouse.ts'`],
      ['src/authorization-server/provider/build.ts', `export * from '../routing/router.ts'`],
      ['src/gatehouse/gatehouse.ts', `import { memoryStore } from '../../adapters/memory.ts'`],
      ['src/gatehouse/gatehouse.ts', `const { Redis } = await import('ioredis')`],
      ['src/revocation/log.ts', `import type { Key } from '../keys/key-ring.ts'`],
      ['adapters/redis.ts', `import { Redis } from 'ioredis'`],
      ['adapters/redis.ts', `import type { Options } from '../src/options/options.ts'`],
      ['src/drawer/anything.ts', ``],
    ] as const
    expect(forbidden.filter(([file, source]) => forbiddenImports(file, source).length !== 1)).toEqual([])
    const routes = 'src/authorization-server/interaction/routes.ts'
    const allowed = [
      ['src/authorization-server/provider/build.ts', `import Provider from 'oidc-provider'`],
      [routes, `import type { Catalog } from '../../catalog/catalog.ts'`],
      [routes, `import { a } from './page.ts'\nimport path from 'node:path'`],
      ['src/keys/poll-key-ring.ts', `import type { Store } from '../store/contract.ts'`],
      ['src/gateway/gateway.ts', `import { GatehouseError } from '../errors.ts'`],
      ['adapters/redis.ts', `import type { Store } from '../src/store/contract.ts'`],
    ] as const
    expect(allowed.flatMap(([file, source]) => forbiddenImports(file, source))).toEqual([])
  })
})

/**
 * The most lines that `src` and `adapters` may have together. A change that takes lines away lowers this number. A
 * change that needs more raises it, in a commit that says why.
 */
const MAX_LINES = 58_560

/** One file a language with every text of the console: tables, which are read and translated as a whole. */
const TEXTS = ['src/parts/console/texts/english.ts', 'src/parts/console/texts/german.ts']

describe('the layout of the repository', () => {
  it('only documents, settings and the known folders are at the root', () => {
    const ignored = [
      '.git',
      'node_modules',
      'dist',
      'build',
      'coverage',
      '.env',
      '.idea',
      '.vscode',
      '.DS_Store',
    ]
    const entries = readdirSync(root).filter((name) => !ignored.includes(name) && !/\.(log|tgz)$/.test(name))
    const dotfiles = ['.ci', '.github', '.gitignore', '.npmrc', '.oxfmtrc.json', '.oxlintrc.json']
    const documents = ['README.md', 'LICENSE', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']
    const settings = ['package.json', 'package-lock.json', 'tsconfig.json', 'rolldown.config.ts', 'build.mjs']
    const folders = ['src', 'adapters', 'examples', 'test', 'bench', 'docs']
    expect(entries).toEqual(expect.arrayContaining([...documents, 'package.json', 'src', 'adapters', 'test']))
    expect(
      entries.filter((name) => ![...dotfiles, ...documents, ...settings, ...folders].includes(name)),
    ).toEqual([])
  })

  it('src and adapters have at most the lines that they may have', () => {
    const files = [...filesBelow('src'), ...filesBelow('adapters')]
    const sizes = new Map<string, number>()
    for (const file of files) {
      const folder = /^src\/(?:parts\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? file.replace(/\/.*/, '')
      sizes.set(folder, (sizes.get(folder) ?? 0) + linesOf(file))
    }
    const largest = [...sizes].toSorted(([, one], [, other]) => other - one)
    const sum = largest.reduce((total, [, lines]) => total + lines, 0)
    console.info(`${sum} lines, most of them in:`, Object.fromEntries(largest.slice(0, 8)))
    expect(sum).toBeLessThanOrEqual(MAX_LINES)
    expect(sum, 'lower MAX_LINES to what was reached').toBeGreaterThan(MAX_LINES - 200)
  })

  it('folders are named after the domain, not after kinds of code', () => {
    const drawers = /(^|\/)(utils?|helpers?|commons?|shared|types|misc|lib)(\/|\.ts$)/
    const paths = [...sources, ...filesBelow('examples')]
    expect(paths.filter((file) => drawers.test(file))).toEqual([])
  })

  it('at most 190 pairs of core folders import one another', () => {
    // The imports of entries and of optional parts are not counted: a part may use everything that is below it.
    const notCounted =
      /^src\/(parts\/.*|testing|(index|console|management|backup|leak-reports|usage|limits|openapi|mcp|gateway)\.ts)$/
    const arrows = new Set<string>()
    for (const [file, targets] of graphOf(sources)) {
      const from = folderOf(file) ?? ''
      if (notCounted.test(from)) continue
      for (const to of targets.map(folderOf)) if (to !== from) arrows.add(`${from} → ${to}`)
    }
    console.info(`src: ${arrows.size} pairs of core folders with imports`)
    expect(arrows.size).toBeGreaterThan(50)
    expect(arrows.size).toBeLessThanOrEqual(190)
  })

  it('the core has at most 22 folders and entries at the top of src, and src has no file over 300 lines except tables of texts, and a median of at most 90 lines', () => {
    const folders = new Set(
      sources
        .filter((file) => file.startsWith('src/') && !PARTS.test(file))
        .map((file) => file.split('/')[1]),
    )
    const files = sources.filter((file) => !TEXTS.includes(file))
    const lengths = files.map(linesOf).toSorted((one, other) => one - other)
    const median = lengths[Math.floor(lengths.length / 2)] ?? 0
    console.info(
      `core: ${folders.size} folders and entries at the top, ${sources.length} files (with adapters), ` +
        `median ${median} lines, longest ${lengths.at(-1)}`,
    )
    expect(folders.size).toBeLessThanOrEqual(22)
    expect(lengths.at(-1)).toBeLessThanOrEqual(300)
    expect(median).toBeLessThanOrEqual(90)
  })
})

describe('the places of tests', () => {
  /** Test folders whose tests do not belong to a single source file. */
  const WITHOUT_SOURCE_FILE =
    /^test\/(adapters|bench|docs|examples|flows|foreign|package|proof|support|types)\//

  /** Returns the source file of a test. `test/keys/a.<aspect>.test.ts` is a test of `src/keys/a.ts`. */
  const sourceOf = (test: string) => test.replace(/^test\//, 'src/').replace(/\.[^/]*$/, '.ts')

  it('each unit test is named after its source file, with an optional aspect: a.test.ts or a.aspect.test.ts', () => {
    const unitTests = filesBelow('test').filter(
      (file) => file.endsWith('.test.ts') && !WITHOUT_SOURCE_FILE.test(file),
    )
    expect(unitTests.length).toBeGreaterThan(100)
    expect(unitTests.filter((test) => !sources.includes(sourceOf(test)))).toEqual([])
  })
})
