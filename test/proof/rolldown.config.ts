/** Compiles the script of the processes of a run into the folder of its patches, and applies them: `build.mjs` with this file. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { defineConfig, type Plugin } from 'rolldown'
import { OPTIONS } from '../../rolldown.config.ts'
import type { Patch } from './fleet.ts'

const file = process.argv[3] ?? ''
const patches = JSON.parse(readFileSync(file, 'utf8')) as Patch[]
const left = new Set(patches)

const patching: Plugin = {
  name: 'patches',
  transform(code, id) {
    let patched = code
    for (const patch of patches.filter((each) => id.endsWith(`/${each.file}`))) {
      if (patched.split(patch.replace).length !== 2)
        throw new Error(`${patch.file} does not have once: ${patch.replace}`)
      patched = patched.replace(patch.replace, () => patch.by)
      left.delete(patch)
    }
    return { code: patched }
  },
  buildEnd() {
    for (const patch of left) throw new Error(`the processes do not use ${patch.file}`)
  },
}

export default defineConfig({
  ...OPTIONS,
  plugins: [patching, ...OPTIONS.plugins],
  input: { host: 'test/proof/host.ts' },
  output: { dir: path.dirname(file), entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' },
})
