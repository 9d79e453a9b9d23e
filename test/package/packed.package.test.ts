import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ENTRIES } from '../../rolldown.config.ts'
import { copyPackage, runToEnd, temporaryFolder } from '../support/package-copy.ts'
import { freePort } from '../support/free-port.ts'
import { MUTANTS } from '../proof/mutants.ts'
import { loadedBySources, PACKAGES_OF_ENTRIES } from './entries.ts'

const root = path.resolve(import.meta.dirname, '../..')
const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
const { devDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))

/**
 * The compiler options of the projects that install the package. They make tsc check the types of libraries.
 */
const STRICT = {
  target: 'es2023',
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
  types: ['node'],
}

/** What `whole-flow.mjs` prints. */
const WHOLE_FLOW = {
  direct: [200, 'acme'],
  signIn: 200,
  delegated: [200, 'alice'],
  refreshed: [200, 'alice'],
  revoked: 200,
  afterRevocation: [401, null],
}

let files: string[]
let project: string
/** A project with Koa 2 and its types. */
let older: string
let tarball: string
const remove: (() => Promise<void>)[] = []
const children: ChildProcess[] = []

// All tests except the one with Koa 2 share one TypeScript project. npm installs the tarball once in each of the two.
beforeAll(async () => {
  const [copy, empty, koa2] = await Promise.all([
    copyPackage(),
    temporaryFolder('koa-gatehouse-host'),
    temporaryFolder('koa-gatehouse-koa-2'),
  ])
  ;[project, older] = [empty.folder, koa2.folder]
  remove.push(copy.remove, empty.remove, koa2.remove)

  const [packed] = JSON.parse(await runToEnd(copy.folder, 'npm', ['pack', '--json', '--silent']))
  files = packed.files.map((file: { path: string }) => file.path)

  const manifest = { name: 'host', version: '1.0.0', private: true, type: 'module' }
  for (const folder of [project, older]) {
    await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest))
  }
  const packages = ['koa', 'ioredis', '@types/node'].map((name) => `${name}@${devDependencies[name]}`)
  const aliases = ['koa@^2.16', '@types/koa@^2.15']
  tarball = path.join(copy.folder, packed.filename)
  // Without --force and --legacy-peer-deps, npm rejects an unsuitable peer with ERESOLVE.
  await Promise.all([
    install(project, packages),
    install(older, [...aliases, `@types/node@${devDependencies['@types/node']}`]),
  ])
}, 300_000)

/** Installs the tarball together with other packages. */
const install = (folder: string, packages: readonly string[]) =>
  runToEnd(folder, 'npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball, ...packages])

afterAll(async () => {
  for (const child of children) child.kill()
  await Promise.all(remove.map((clean) => clean()))
})

/** Starts a program in `folder`. Resolves with the output once the program has printed its curl commands. */
async function startHost(file: string, port: number, folder = project): Promise<string> {
  const child = spawn(process.execPath, [file], { cwd: folder, env: { ...process.env, PORT: String(port) } })
  children.push(child)
  let output = ''
  child.stderr.on('data', (chunk) => (output += chunk))
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk
      if (output.includes('# 403')) resolve(output)
    })
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}:\n${output}`)))
  })
}

describe('the packed package', () => {
  it('the packed package contains the entries with their chunks, maps and types, the examples and the documents, and nothing else', () => {
    const outputs = ENTRIES.map(({ output }) => output)
    const documents = [
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'package.json',
      'adapters/postgres/1.sql',
    ]
    const others = /^(dist\/chunks\/[\w-]+\.js|dist\/types\/(src|adapters)\/.*\.d\.ts|examples\/.*\.m?[jt]s)$/
    const scripts = files.filter((file) => file.startsWith('dist/') && file.endsWith('.js'))
    expect(files).toEqual(
      expect.arrayContaining([...outputs, ...documents, ...scripts.map((file) => `${file}.map`)]),
    )
    const known = new Set([...outputs, ...documents, ...scripts.map((file) => `${file}.map`)])
    expect(files.filter((file) => !known.has(file) && !others.test(file))).toEqual([])
  })

  it('the types give Buffer and Uint8Array no type argument, because TypeScript before 5.7 has none', async () => {
    const types = files.filter((file) => file.endsWith('.d.ts'))
    expect(types.length).toBeGreaterThan(100)
    const installed = path.join(project, 'node_modules/koa-gatehouse')
    const texts = await Promise.all(types.map((file) => readFile(path.join(installed, file), 'utf8')))
    expect(types.filter((_, i) => /\b(?:Buffer|Uint8Array)<|\bArrayBufferLike\b/.test(texts[i]!))).toEqual([])
  })

  it('publint and attw find no mistake in the packed files', async () => {
    const program = (name: string) => path.join(root, 'node_modules/.bin', name)
    await runToEnd(root, program('publint'), [tarball, '--strict'])
    await runToEnd(root, program('attw'), [tarball, '--profile', 'esm-only'])
  })

  it('nothing in the package can switch on a fault of the proof', async () => {
    const installed = path.join(project, 'node_modules/koa-gatehouse')
    const texts = await Promise.all(files.map((file) => readFile(path.join(installed, file), 'utf8')))
    const names = MUTANTS.map(({ name }) => name)
    // The examples, and the programs that the guide shows, are programs of a host, which read its environment.
    const scripts = files.map((file) => file.startsWith('dist/') && file.endsWith('.js'))
    expect(files.filter((_, i) => names.some((name) => texts[i]!.includes(name)))).toEqual([])
    expect(
      files.filter(
        (_, i) =>
          scripts[i] &&
          /process\.env|\bmutants?\b/i.test(texts[i]!.replaceAll('process.env.CLIENT_SECRET', '')),
      ),
    ).toEqual([])
    expect(scripts.filter(Boolean).length).toBeGreaterThan(ENTRIES.length)
  })

  it('the bill of materials of a host lists the dependencies of the package, each with its hash and license', async () => {
    const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
    const sbom = JSON.parse(await runToEnd(project, 'npm', ['sbom', '--sbom-format', 'cyclonedx']))
    const listed = new Map(sbom.components.map((component: { name: string }) => [component.name, component]))
    for (const name of Object.keys(dependencies)) {
      expect(listed.get(name), name).toMatchObject({
        hashes: [{ alg: 'SHA-512' }],
        licenses: [{ license: { id: expect.any(String) } }],
      })
    }
  })

  it('the packed package installs without a peer warning and with one version of jose', async () => {
    const tree = JSON.parse(await runToEnd(project, 'npm', ['ls', 'jose', '--all', '--json']))
    expect(tree.problems).toBeUndefined()
    expect(new Set(JSON.stringify(tree).match(/(?<="jose":\{"version":")[^"]+/g)).size).toBe(1)
  })

  it('the quick start compiles in an empty strict project with type-checked libraries, and runs', async () => {
    await copyFile(path.join(root, 'examples/minimal.ts'), path.join(project, 'minimal.ts'))
    await writeFile(
      path.join(project, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: STRICT,
        files: ['minimal.ts', 'entry-points.ts'],
      }),
    )
    // This file imports all entry points, so that tsc checks the types of each entry point.
    await writeFile(
      path.join(project, 'entry-points.ts'),
      `import { Redis } from 'ioredis'
       import { createGatehouse } from 'koa-gatehouse'
       import { exportRegistry } from 'koa-gatehouse/backup'
       import { createConsole } from 'koa-gatehouse/console'
       import { createGateway } from 'koa-gatehouse/gateway'
       import { createManagementApi } from 'koa-gatehouse/management'
       import { mintToken } from 'koa-gatehouse/testing'
       import { memoryStore } from 'koa-gatehouse/adapters/memory'
       import { redisStore } from 'koa-gatehouse/adapters/redis'
       export const parts = [createConsole, createManagementApi, exportRegistry]
       export const all = [createGatehouse, createGateway, mintToken, memoryStore, redisStore(new Redis())]`,
    )
    await runToEnd(project, process.execPath, [tsc])

    const port = await freePort()
    // The README says that the quick start is valid JavaScript, so Node.js must run it as an .mjs file.
    await copyFile(path.join(project, 'minimal.ts'), path.join(project, 'app.mjs'))
    const lines = await startHost('app.mjs', port)
    const script = lines.slice(lines.indexOf('TOKEN='))
    const answers = await runToEnd(project, 'bash', ['-c', script])
    const statuses = [...answers.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status)
    expect(statuses).toEqual(['200', '403'])
    expect(answers).toContain('"account":"acme"')
    expect(answers).toMatch(/www-authenticate: Bearer .*error="insufficient_scope".*scope="invoices:create"/i)
  })

  it('a minified bundle works: sign-in, consent, tokens, API, refresh and revocation', async () => {
    await copyFile(path.join(root, 'test/fixtures/whole-flow.mjs'), path.join(project, 'whole-flow.mjs'))
    const output = { file: path.join(project, 'minified.mjs'), minify: true, codeSplitting: false }
    const logLevel = 'silent' as const
    await build({ cwd: project, input: 'whole-flow.mjs', platform: 'node', output, logLevel })
    expect(readFileSync(output.file, 'utf8')).not.toContain('class BaseModel')
    const printed = await runToEnd(project, process.execPath, ['minified.mjs', String(await freePort())])
    expect(JSON.parse(printed)).toEqual(WHOLE_FLOW)
  })

  it('each entry loads the packages and the sources that its source file imports, and no others', async () => {
    const write = (file: string, text: string) => writeFile(path.join(project, file), text)
    await write(
      'print-imports.mjs',
      `import { appendFileSync } from 'node:fs'
       export async function resolve(specifier, context, next) {
         const resolved = await next(specifier, context)
         const line = JSON.stringify({ specifier, from: context.parentURL, url: resolved.url })
         appendFileSync(process.env.IMPORTS, line + '\\n')
         return resolved
       }`,
    )
    await write(
      'register.mjs',
      `import { register } from 'node:module'
       register('./print-imports.mjs', import.meta.url)`,
    )
    // In one process, because each start takes half a second. An import of a module that is loaded already is printed, too.
    await write('load.mjs', ENTRIES.map(({ name }) => `await import(${JSON.stringify(name)})\n`).join(''))
    // Into a file, because a full pipe rejects a synchronous write.
    const list = path.join(project, 'imports')
    await runToEnd(project, process.execPath, ['--import', './register.mjs', 'load.mjs'], { IMPORTS: list })
    const all = (await readFile(list, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { specifier: string; from?: string; url: string })
    const isOurs = (url = '') => url.includes('/node_modules/koa-gatehouse/dist/')
    /** The imports of an entry, and of everything that the entry loads. */
    const loadedBy = (name: string) => {
      const entry = all.filter(({ specifier, from }) => specifier === name && from?.endsWith('/load.mjs'))
      const urls = new Set(entry.map(({ url }) => url))
      // A loop over a set also visits what is added during the loop.
      for (const url of urls) for (const each of all) if (each.from === url) urls.add(each.url)
      return [...entry, ...all.filter(({ from = '' }) => urls.has(from))]
    }
    const found = ENTRIES.map(({ name, source }) => {
      const imports = loadedBy(name)
      const packages = imports.filter(
        ({ from, url }) => isOurs(from) && !isOurs(url) && !url.startsWith('node:'),
      )
      const loaded = new Set(imports.filter(({ url }) => isOurs(url)).map(({ url }) => fileURLToPath(url)))
      const sources = [...loaded].flatMap(sourcesOf)
      const imported = loadedBySources(source).files
      return {
        name,
        packages: [...new Set(packages.map(({ specifier }) => specifier))].toSorted(),
        hasSources: sources.length > 0,
        others: sources.filter((each) => !imported.includes(each)),
      }
    })
    const expected = { hasSources: true, others: [] }
    expect(found).toEqual(
      ENTRIES.map(({ name }) => ({ name, packages: PACKAGES_OF_ENTRIES[name], ...expected })),
    )
  })

  /** The sources in a file of the package, from the root of the repository, without the helpers of the bundler. */
  function sourcesOf(file: string): string[] {
    const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: string[] }
    const folder = path.join(project, 'node_modules/koa-gatehouse')
    return sources
      .filter((source) => !source.includes('@oxc-project'))
      .map((source) => path.relative(folder, path.resolve(path.dirname(file), source)))
  }

  it('the package has the text of its stylesheets and scripts in its chunks, and reads no file', () => {
    const texts = files
      .filter((file) => /^dist\/.*\.js$/.test(file))
      .map((file) => readFileSync(path.join(project, 'node_modules/koa-gatehouse', file), 'utf8'))
    expect(texts.filter((text) => /import\.meta|"node:fs"/.test(text))).toEqual([])
    expect(texts.filter((text) => text.includes('.gatehouse table {')).length).toBe(1)
  })

  it('import and require() load the same modules of every entry, so parts and errors of all entries fit together', async () => {
    await writeFile(
      path.join(project, 'all-entries.mjs'),
      `import { createRequire } from 'node:module'
       const require = createRequire(import.meta.url)
       const names = ${JSON.stringify(ENTRIES.map(({ name }) => name))}
       const imported = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await import(name)])))
       const values = (one, other) => Object.keys(one).filter((key) => one[key] !== other[key])
       for (const name of names) console.log(name, Object.keys(imported[name]).length > 0, values(imported[name], require(name)))

       const { createGatehouse, GatehouseError } = imported['koa-gatehouse']
       const gatehouse = createGatehouse({
         issuer: 'http://localhost:9/auth',
         audience: 'http://localhost:9/api',
         store: imported['koa-gatehouse/adapters/memory'].memoryStore(),
         products: {},
         accounts: { find: (id) => ({ id }), current: () => undefined, signInUrl: () => '/' },
       })
       console.log(typeof imported['koa-gatehouse/console'].createConsole(gatehouse))
       console.log(typeof imported['koa-gatehouse/management'].createManagementApi(gatehouse))
       for await (const line of imported['koa-gatehouse/backup'].exportRegistry(gatehouse)) console.log(typeof line)
       for (const fail of [imported['koa-gatehouse/gateway'].createGateway, imported['koa-gatehouse/console'].createConsole]) {
         try { fail({}) } catch (error) { console.log(error instanceof GatehouseError, error.code) }
       }
       await gatehouse.close()`,
    )
    const lines = (await runToEnd(project, process.execPath, ['all-entries.mjs'])).trim().split('\n')
    expect(lines.slice(0, ENTRIES.length)).toEqual(ENTRIES.map(({ name }) => `${name} true []`))
    expect(lines.slice(ENTRIES.length)).toEqual([
      'function',
      'function',
      'string',
      'string',
      'string',
      'string',
      'true ERR_OPTIONS',
      'true ERR_INVALID_ARGUMENT',
    ])
  })

  it('with --enable-source-maps an error names the files and lines of the sources', async () => {
    const program = `import('koa-gatehouse').then(({ createGatehouse }) => createGatehouse({}))`
    const failure = runToEnd(project, process.execPath, ['--enable-source-maps', '-e', program])
    await expect(failure).rejects.toThrow(/koa-gatehouse\/src\/options\/shared-schema\.ts:\d+/)
  })

  it('a process that mounts the package and has no other work ends by itself, even with a failing store', async () => {
    await writeFile(
      path.join(project, 'mounted.mjs'),
      `import Koa from 'koa'
       import { createGatehouse } from 'koa-gatehouse'
       import { createGateway } from 'koa-gatehouse/gateway'
       import { memoryStore } from 'koa-gatehouse/adapters/memory'
       const address = { issuer: 'http://localhost:9/auth', audience: 'http://localhost:9/api' }
       const products = { orders: { title: 'Orders', operations: { 'orders:read': { route: 'GET /orders', title: 'Read' } } } }
       const accounts = { find: (id) => ({ id }) }
       const secret = 'a secret for tests, long enough to be one'
       const frozen = { ...memoryStore(), volatile: false, ping: () => new Promise(() => {}) }
       const unavailable = { ...memoryStore(), volatile: false, ping: () => Promise.reject(new Error('unavailable')) }
       const gatehouses = [memoryStore(), frozen, unavailable].map((store) => createGatehouse({ ...address, secret, store, products, accounts }))
       const gateway = createGateway({ ...address, products, jwksUri: 'http://127.0.0.1:9/jwks' })
       for (const each of [...gatehouses.map((one) => one.gateway), gateway]) {
         new Koa().use(each.middleware()).use(each.requireScope('orders:read'))
       }
       for (const each of gatehouses) new Koa().use(each.wellKnown()).use(each.middleware())
       // The service starts during this work.
       setTimeout(() => console.log('the work is done'), 500)`,
    )
    expect(await runToEnd(project, process.execPath, ['mounted.mjs'])).toBe('the work is done\n')
  })

  it('the package installs beside Koa 2 and its types, compiles there in a strict project, and runs', async () => {
    const write = (file: string, text: string) => writeFile(path.join(older, file), text)
    const tree = JSON.parse(await runToEnd(older, 'npm', ['ls', 'koa', '@types/koa', '--all', '--json']))
    expect(tree.problems).toBeUndefined()
    expect(tree.dependencies.koa.version).toMatch(/^2\.16\./)
    expect(tree.dependencies['koa-gatehouse'].dependencies['@types/koa'].version).toMatch(/^2\./)

    const program = (await readFile(path.join(root, 'examples/minimal.ts'), 'utf8'))
      .replace('app.use(gatehouse.gateway.middleware())', `$&\napp.use(gatehouse.gateway.wellKnown())`)
      .replace(/^app\.use\(\(ctx\)/m, `app.use(gatehouse.gateway.requireScope('invoices:read'))\n$&`)
    await write('host.ts', program)
    await write('tsconfig.json', JSON.stringify({ compilerOptions: STRICT, files: ['host.ts'] }))
    await runToEnd(older, process.execPath, [tsc])

    // The program is valid JavaScript, so Node.js can run it as an .mjs file.
    await write('host.mjs', program)
    const port = await freePort()
    const lines = await startHost('host.mjs', port, older)
    const answers = await runToEnd(older, 'bash', ['-c', lines.slice(lines.indexOf('TOKEN='))])
    const statuses = [...answers.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status)
    expect(statuses).toEqual(['200', '403'])
  }, 120_000)
})
