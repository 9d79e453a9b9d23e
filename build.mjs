/**
 * `npm run build`: builds what `rolldown.config.ts`, or the file in the first argument, describes.
 *
 * The command `rolldown -c` would also print a list of all files, which `npm pack --json` would print before its JSON.
 */
import { build } from 'rolldown'
import { loadConfig } from 'rolldown/config'

await build(await loadConfig(process.argv[2] ?? 'rolldown.config.ts'))
