import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { forbiddenImports } from './import-rules.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** Paths from the root of all files below `folder`, with `/` between. */
const filesBelow = (folder: string) =>
  readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'))

const sources = [...filesBelow('src'), ...filesBelow('adapters')].filter((file) => file.endsWith('.ts'))
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

describe('imports only go down', () => {
  it('in every file of src and adapters', () => {
    expect(sources.length).toBeGreaterThan(50)
    expect(sources.filter((file) => file.startsWith('adapters/')).length).toBeGreaterThanOrEqual(2)
    const imports = sources.flatMap((file) => read(file).match(/^import .*/gm) ?? [])
    expect(imports.length).toBeGreaterThan(sources.length)

    expect(sources.flatMap((file) => forbiddenImports(file, read(file)))).toEqual([])
  })

  it('oidc-provider is imported by src/provider alone', () => {
    const importers = sources.filter((file) => /from 'oidc-provider/.test(read(file)))
    expect(importers.length).toBeGreaterThan(0)
    expect(importers.filter((file) => !file.startsWith('src/provider/'))).toEqual([])
  })

  it.each([
    ['src/interaction/routes.ts', `import Provider from 'oidc-provider'`],
    ['src/gateway/verify-token.ts', `import {\n  findClient,\n} from '../registry/client.ts'`],
    ['src/catalog/catalog.ts', `import type { Store } from '../store/contract.ts'`],
    ['src/keys/rotation.ts', `import { parseProducts } from '../catalog/products.ts'`],
    ['src/errors.ts', `import { silentLogger } from './host/logger.ts'`],
    ['src/provider/build.ts', `import { createGatehouse } from '../gatehouse.ts'`],
    ['src/provider/build.ts', `export * from '../interaction/routes.ts'`],
    ['src/gatehouse.ts', `import { memoryStore } from '../adapters/memory.ts'`],
    ['src/gatehouse.ts', `const { Redis } = await import('ioredis')`],
    ['adapters/redis.ts', `import { Redis } from 'ioredis'`],
    ['adapters/redis.ts', `import type { Settings } from '../src/options.ts'`],
    ['src/drawer/anything.ts', ``],
  ])('a forbidden import is found in %s: %s', (file, source) => {
    expect(forbiddenImports(file, source)).toHaveLength(1)
  })

  it.each([
    ['src/provider/build.ts', `import Provider from 'oidc-provider'`],
    ['src/interaction/routes.ts', `import type { Catalog } from '../catalog/catalog.ts'`],
    ['src/interaction/routes.ts', `import { escape } from './page.ts'\nimport path from 'node:path'`],
    ['src/keys/rotation.ts', `import type { Store } from '../store/contract.ts'`],
    ['src/gateway/gateway.ts', `import { GatehouseError } from '../errors.ts'`],
    ['adapters/redis.ts', `import type { Store } from '../src/store/contract.ts'`],
  ])('an allowed import is let through in %s: %s', (file, source) => {
    expect(forbiddenImports(file, source)).toEqual([])
  })
})

describe('layout', () => {
  it('only what belongs there stands at the root', () => {
    const notOurs = ['.git', 'node_modules', 'dist', 'coverage', '.env', '.idea', '.vscode', '.DS_Store']
    const entries = readdirSync(root).filter((name) => !notOurs.includes(name) && !/\.(log|tgz)$/.test(name))
    const dotfiles = ['.ci', '.gitignore', '.npmrc', '.oxlintrc.json', '.prettierignore']
    const documents = ['README.md', 'LICENSE', 'CHANGELOG.md', 'CONTRIBUTING.md']
    const settings = ['package.json', 'package-lock.json', 'tsconfig.json']
    const folders = ['src', 'adapters', 'examples', 'test', 'bench']
    expect(entries).toEqual(expect.arrayContaining([...documents, 'package.json', 'src', 'adapters', 'test']))
    expect(
      entries.filter((name) => ![...dotfiles, ...documents, ...settings, ...folders].includes(name)),
    ).toEqual([])
  })

  it('folders are named after the domain, not after kinds of things', () => {
    const drawers = /(^|\/)(utils?|helpers?|commons?|shared|types|misc|lib)(\/|\.ts$)/
    const paths = [...sources, ...filesBelow('examples')]
    expect(paths.filter((file) => drawers.test(file))).toEqual([])
  })

  it('no source file is longer than 350 lines', () => {
    const lines = (file: string) => read(file).split('\n').length - 1
    expect(sources.filter((file) => lines(file) > 350)).toEqual([])
  })
})
