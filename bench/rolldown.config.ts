/**
 * Compiles the benches, the long tests of `test/endurance/` and the server of `docs/conformance/` to JavaScript in `build`, because Node 20
 * cannot run TypeScript. Each script keeps its path, so that the scripts find one another. They import the built package by its name, and its insides
 * from the sources.
 */
import { readdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { defineConfig, type Plugin } from 'rolldown'
import { OPTIONS } from '../rolldown.config.ts'

const FOLDERS = [
  'bench',
  'bench/peers',
  'docs/conformance',
  'test/endurance',
  'test/foreign',
  'test/foreign/bench',
  'test/foreign/bench/peers',
  'test/proof',
]

const scripts = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(OPTIONS.cwd, folder))
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|^rolldown/.test(file))
    .map((file) => `${folder}/${file}`),
)

/** Lets the compiled scripts of `test/foreign` find the packages that are installed there. */
const linkForeign: Plugin = {
  name: 'link-foreign',
  writeBundle() {
    const link = path.join(OPTIONS.cwd, 'build/test/foreign/node_modules')
    rmSync(link, { force: true })
    symlinkSync(path.join(OPTIONS.cwd, 'test/foreign/node_modules'), link)
  },
}

export default defineConfig({
  ...OPTIONS,
  plugins: [...OPTIONS.plugins, linkForeign],
  input: Object.fromEntries(scripts.map((script) => [script.replace('.ts', ''), script])),
  output: { dir: 'build', preserveModules: true, preserveModulesRoot: OPTIONS.cwd },
})
