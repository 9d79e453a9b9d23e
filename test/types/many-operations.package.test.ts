import { spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'gatehouse-types-'))
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const runCompiler = (...args: string[]) => spawnSync(process.execPath, [tsc, ...args], { encoding: 'utf8' })
// The apps import the declarations, as hosts do. With the sources, each run would check all of them.
beforeAll(() => {
  const declarations = ['--noCheck', '--declarationDir', join(folder, 'types')]
  const { stdout, status } = runCompiler('-p', join(root, 'src'), ...declarations)
  expect(status, stdout).toBe(0)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true }))

/** Compiles an app whose products have the given operations. */
function compile(operations: string) {
  writeFileSync(
    join(folder, 'app.mts'),
    `import { createGatehouse } from './types/src/gatehouse/create-gatehouse.js'
     import type { Gatehouse } from './types/src/gatehouse/gatehouse.js'
     import type { Store } from './types/src/store/contract.js'
     declare const store: Store
     const gatehouse = createGatehouse({
       issuer: 'https://example.com/auth', audience: 'https://example.com/api', store,
       kycLevels: ['none', 'basic'],
       accounts: { find: (id) => ({ id }) },
       products: { all: { title: 'All', operations: { 'op:last': { route: 'GET /', title: 'x' }, ${operations} } } },
     })
     gatehouse.gateway.requireScope('op:last')
     // @ts-expect-error no operation has this scope
     gatehouse.gateway.requireScope('op:none')
     export const plain: Gatehouse = gatehouse`,
  )
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { rootDir: '/', typeRoots: [join(root, 'node_modules/@types')] },
      include: ['app.mts'],
    }),
  )
  return runCompiler('-p', folder, '--extendedDiagnostics')
}

/** Compiles an app with a number of operations, and measures the work of the compiler. */
function measure(operations: number): { instantiations: number } {
  const { stdout: report, status } = compile(
    Array.from(
      { length: operations },
      (_, i) => `'op:${i}': { route: ['GET /p/${i}', 'POST /p/:id/${i}'], title: 'x', kycLevel: 'basic' },`,
    ).join('\n'),
  )
  expect(status, report).toBe(0)
  const figure = (name: string) => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(report)?.[1])
  return { instantiations: figure('Instantiations') }
}

describe('the type inference of scopes', () => {
  it('the work of the compiler grows in proportion to the number of operations', () => {
    const [none, some, many] = [measure(0), measure(500), measure(1000)]
    expect(none.instantiations).toBeGreaterThan(0)
    const first = some.instantiations - none.instantiations
    const second = many.instantiations - some.instantiations
    expect(first).toBeGreaterThan(500)
    expect(second).toBeLessThan(first * 1.5)
  }, 300_000)

  it('the message about a key that nothing reads names the key', () => {
    const { stdout } = compile(`'op:a': { route: 'GET /a', title: 'x', titel: 'y' }`)
    expect(stdout).toContain('UnknownKey<"titel">')
  }, 100_000)
})
