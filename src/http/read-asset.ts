import { readFileSync } from 'node:fs'

/**
 * The text of a stylesheet or script for browsers, which is a file beside the module that uses it. In the package,
 * the text is in the place of the call (`rolldown.config.ts`).
 *
 * @param address `new URL('./name.css', import.meta.url)`
 */
export function readAsset(address: URL): string {
  return readFileSync(address, 'utf8')
}
