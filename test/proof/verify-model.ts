import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The result of an exhaustive search. */
interface Verification {
  /** What the search violated: an assertion, an end state, or `acceptance cycle`; undefined if nothing. */
  readonly error: string | undefined
  /** Whether every state was visited within the limits of depth and memory. */
  readonly isComplete: boolean
  /** The lines of the model with an assertion that no execution reached. */
  readonly unreached: readonly string[]
}

/**
 * Verifies a Promela model with Spin: visits all of its states.
 *
 * @param name a file of `test/proof/models/`, without `.pml`
 * @param defines macros, such as `NO_WAIT` or `FAULTS=2`. With `LIVENESS`, cycles are searched, under weak fairness
 */
export async function verifyModel(name: string, defines: readonly string[]): Promise<Verification> {
  const file = path.join(import.meta.dirname, 'models', `${name}.pml`)
  const cwd = await mkdtemp(path.join(tmpdir(), 'model-'))
  const isLiveness = defines.includes('LIVENESS')
  try {
    await run('spin', [...defines.map((define) => `-D${define}`), '-a', file], { cwd })
    const search = isLiveness ? ['-DNFAIR=3'] : ['-DSAFETY']
    // Compiling with optimization takes longer than it saves.
    await run('gcc', ['-w', '-O0', '-DMEMLIM=1000', '-DVECTORSZ=2048', ...search, '-o', 'pan', 'pan.c'], {
      cwd,
    })
    // The exit code does not depend on what is found.
    const { stdout } = await run('./pan', ['-m100000', '-w22', ...(isLiveness ? ['-a', '-f'] : [])], {
      cwd,
      maxBuffer: 2 ** 24,
    })
    const lines = (await readFile(file, 'utf8')).split('\n')
    const unreached = [...stdout.matchAll(/\.pml:(\d+), state \d+/g)]
      .map(([, line]) => lines[Number(line) - 1] ?? '')
      .filter((line) => line.includes('assert(') && !line.includes('assert(false)'))
    const errors = /errors: (\d+)/.exec(stdout)?.[1]
    return {
      error: errors === '0' ? undefined : (/pan:1: (.*) \(at depth/.exec(stdout)?.[1] ?? stdout),
      isComplete: !/too small|out of memory|MEMLIM|not completed/.test(stdout),
      unreached,
    }
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}
