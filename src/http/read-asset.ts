import { readFileSync } from 'node:fs'

/**
 * The text of a stylesheet or script in the folder of its module: `new URL('./name.css', import.meta.url)`.
 * The build replaces the call by the text (`rolldown.config.ts`).
 */
export function readAsset(address: URL): string {
  return readFileSync(address, 'utf8')
}
