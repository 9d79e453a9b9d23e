import { vi } from 'vitest'

/**
 * What must not be printed: notices and warnings of what we stand on. That Node 20 is "unsupported" is what
 * oidc-provider says there whatever we do.
 */
export function complaintsIn(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => /\b(NOTICE|WARNING|Warning|deprecat)/.test(line))
    .filter((line) => !line.includes('oidc-provider WARNING: Unsupported runtime'))
}

/** Collects what this process prints, and what Node warns about, from now on. */
export function collectOutput() {
  const lines: string[] = []
  const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((...args: unknown[]) => void lines.push(args.join(' '))),
  )
  const onWarning = ({ name, message }: Error) => lines.push(`${name}: ${message}`)
  process.on('warning', onWarning)
  return {
    lines,
    complaints: () => complaintsIn(lines.join('\n')),
    stop() {
      for (const spy of spies) spy.mockRestore()
      process.off('warning', onWarning)
    },
  }
}
