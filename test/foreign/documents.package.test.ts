import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { copyPackage, runToEnd } from '../support/package-copy.ts'
import { blocksOf, root, withExamples } from '../docs/pages.ts'
import { PACKAGES, SURROUNDINGS } from '../docs/surroundings.ts'

const foreign = JSON.parse(await readFile(path.join(import.meta.dirname, 'package.json'), 'utf8')) as {
  devDependencies: object
}

it('every TypeScript block of the documents compiles', async () => {
  const copy = await copyPackage()
  onTestFinished(copy.remove)
  const folder = path.join(copy.folder, 'documents')
  await mkdir(folder)
  for (const name of Object.keys(foreign.devDependencies)) {
    const link = path.join(folder, 'node_modules', name)
    await mkdir(path.dirname(link), { recursive: true })
    await symlink(path.join(import.meta.dirname, 'node_modules', name), link)
  }
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
