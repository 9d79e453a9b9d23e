/**
 * Compiles the benches, the long tests of `test/endurance/` and the server of `docs/conformance/` to JavaScript in `build`, because Node 20
 * cannot run TypeScript. Each script keeps its path, so that the scripts find one another. They import the built package by its name, and its insides
 * from the sources.
 */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'rolldown'
import { OPTIONS } from '../rolldown.config.ts'

const scripts = ['bench', 'bench/peers', 'docs/conformance', 'test/endurance', 'test/proof'].flatMap(
  (folder) =>
    readdirSync(path.join(OPTIONS.cwd, folder))
      .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|^rolldown/.test(file))
      .map((file) => `${folder}/${file}`),
)

export default defineConfig({
  ...OPTIONS,
  input: Object.fromEntries(scripts.map((script) => [script.replace('.ts', ''), script])),
  output: { dir: 'build', preserveModules: true, preserveModulesRoot: OPTIONS.cwd },
})
