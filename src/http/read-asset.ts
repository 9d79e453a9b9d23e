import { readFileSync } from 'node:fs'

/**
 * The text of a stylesheet or script, in the folder of its module. The build replaces the call by the text
 * (`rolldown.config.ts`).
 *
 * @param address `new URL('./name.css', import.meta.url)`
 */
export function readAsset(address: URL): string {
  return readFileSync(address, 'utf8')
}
