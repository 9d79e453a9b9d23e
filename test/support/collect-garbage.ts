import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Collects all garbage. A promise or a WeakRef may keep an object alive until the end of the current turn of
 * the event loop, so the function waits for later turns and collects in each of them.
 */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let turn = 0; turn < 3; turn += 1) {
    await nextTurn()
    collect()
  }
}
