import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const FOREIGN = 'test/foreign/'

/** The packages that a package.json names. */
function packagesOf(folder: string): Set<string> {
  const manifest = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'))
  const { dependencies, devDependencies, optionalDependencies } = manifest
  return new Set(Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }))
}

/** The packages that a file imports, by their names. Imports within the text of a template are not found. */
function importsOf(text: string): string[] {
  const specifiers = [
    ...text.matchAll(/^(?:import|export|\})[^'"\n]*\bfrom '([^'\n]+)'/gm),
    ...text.matchAll(/\bimport\(?(?: |(?<=\())'([^'\n]+)'/g),
  ].map(([, specifier = '']) => specifier)
  return specifiers
    .filter((each) => !/^(\.|\/|node:|data:)|\$\{/.test(each) && !builtinModules.includes(each))
    .map((each) => each.split('/', each.startsWith('@') ? 2 : 1).join('/'))
}

const files = ['src', 'adapters', 'examples', 'bench', 'docs', 'test'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      if (!entry.isDirectory()) return [entry.name]
      // The folder of installed packages has thousands of files.
      const isForeign = folder === 'test' && entry.name === 'foreign'
      return readdirSync(path.join(root, folder, entry.name), {
        recursive: !isForeign,
        encoding: 'utf8',
      }).map((name) => `${entry.name}/${name}`)
    })
    .filter((name) => /\.m?[jt]s$/.test(name))
    .map((name) => `${folder}/${name}`),
)

/** Every import of a package: the file, and the name of the package. */
const imports = files.flatMap((file) =>
  importsOf(readFileSync(path.join(root, file), 'utf8')).map((name) => ({ file, name })),
)

describe('what a clone installs', () => {
  it('every package that a file outside of test/foreign imports is in package.json', () => {
    const known = packagesOf('.').add('koa-gatehouse')
    const others = imports.filter(({ file, name }) => !file.startsWith(FOREIGN) && !known.has(name))
    expect(others).toEqual([])
    expect(imports.length).toBeGreaterThan(1000)
  })

  it('test/foreign installs only what package.json does not, and imports nothing else', () => {
    const [known, foreign] = [packagesOf('.'), packagesOf(FOREIGN)]
    // The generator of types needs TypeScript 5.
    expect([...foreign].filter((name) => known.has(name))).toEqual(['typescript'])
    const all = imports.filter(({ file }) => file.startsWith(FOREIGN))
    expect(all.filter(({ name }) => !known.has(name) && !foreign.has(name))).toEqual([])
    expect(all.filter(({ name }) => foreign.has(name)).length).toBeGreaterThan(15)
  })

  it('no package of the installation has an install script or is deprecated', () => {
    const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'))
    const packages = Object.entries(lock.packages as Record<string, Record<string, unknown>>)
    const bad = packages.filter(([, each]) => each['hasInstallScript'] || each['deprecated'] !== undefined)
    expect(bad.map(([name]) => name)).toEqual([])
    // npm leaves out the optional packages of other platforms.
    expect(packages.filter(([, each]) => each['optional'] !== true).length).toBeLessThan(330)
  })
})
