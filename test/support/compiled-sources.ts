import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { build, type Plugin } from 'rolldown'
import { OPTIONS } from '../../rolldown.config.ts'

const root = OPTIONS.cwd
/** Packages in `node_modules` are what vitest leaves to Node. */
const FOLDER = path.join(root, 'node_modules/.cache/compiled-sources')

/** The sources make no RSA keys in tests, because making an RSA key takes as long as a whole flow. */
export const quickKeys = {
  name: 'quick-keys',
  enforce: 'pre',
  resolveId: (id: string, importer: string | undefined) =>
    id.endsWith('/generate-key.ts') && importer?.startsWith(path.join(root, 'src/'))
      ? path.join(root, 'test/support/quick-keys.ts')
      : undefined,
} as const

/** The compiled file of a source. The extension says that it is a module, because no `package.json` above it does. */
const compiledName = (source: string) => source.replace(/\.ts$/, '.mjs')

/**
 * Makes tests import the sources as Node loads a package: compiled once for all workers, file by file. vitest itself would
 * compile them in one thread for all workers, and make each use of an import the look-up of a property.
 *
 * @param variant the folder of the compiled files, below the one in `node_modules`
 * @param aliases the packages that the sources load instead of others
 */
export function compiledSources(variant: string, aliases: Readonly<Record<string, string>> = {}) {
  const folder = path.join(FOLDER, variant)
  let compiled: Promise<void> | undefined
  return {
    name: 'compiled-sources',
    enforce: 'pre',
    configResolved: () => (compiled ??= compileAll(folder, aliases)),
    resolveId(id: string, importer: string | undefined) {
      const file = id.startsWith('.') && importer ? path.resolve(path.dirname(importer), id) : id
      const source = path.relative(root, file)
      if (!/^(src|adapters)\/.*\.ts$/.test(source)) return undefined
      return { id: path.join(folder, compiledName(source)), external: true }
    },
  } as const
}

async function compileAll(folder: string, aliases: Readonly<Record<string, string>>): Promise<void> {
  const sources = ['src', 'adapters'].flatMap((each) =>
    readdirSync(path.join(root, each), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${each}/${file}`),
  )
  const { output } = await build({
    ...OPTIONS,
    write: false,
    input: Object.fromEntries(sources.map((source) => [source.replace(/\.ts$/, ''), source])),
    plugins: [...OPTIONS.plugins, quickKeys satisfies Plugin],
    output: {
      paths: aliases,
      entryFileNames: '[name].mjs',
      preserveModules: true,
      preserveModulesRoot: root,
    },
  })
  const files = output.filter((each) => each.type === 'chunk')
  await Promise.all(files.map(({ fileName, code }) => replace(path.join(folder, fileName), code)))
}

/** Another run may load the file meanwhile, so it is never incomplete, and stays if it is the same. */
async function replace(file: string, text: string): Promise<void> {
  const known = await readFile(file, 'utf8').catch(() => undefined)
  if (known === text) return
  await mkdir(path.dirname(file), { recursive: true })
  const written = `${file}.${process.pid}`
  await writeFile(written, text)
  await rename(written, file)
}
