import { spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'gatehouse-types-'))
const sources = relative(folder, join(root, 'src'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Compiles an app whose products have the given operations. */
function compile(operations: string) {
  writeFileSync(
    join(folder, 'app.mts'),
    `import { createGatehouse } from '${sources}/gatehouse/create-gatehouse.ts'
     import type { Gatehouse } from '${sources}/gatehouse/gatehouse.ts'
     import type { Store } from '${sources}/store/contract.ts'
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
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  return spawnSync(process.execPath, [tsc, '-p', folder, '--extendedDiagnostics'], { encoding: 'utf8' })
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
