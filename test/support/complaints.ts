import { vi } from 'vitest'

/**
 * Returns the notices and warnings of dependencies in a program's output. Tests expect an empty list. On Node
 * 20 oidc-provider always prints "Unsupported runtime", so that line is ignored.
 */
export function complaintsIn(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => /\b(NOTICE|WARNING|Warning|deprecat)/.test(line))
    .filter((line) => !line.includes('oidc-provider WARNING: Unsupported runtime'))
}

/** Collects the lines that this process prints from now on, and Node's warnings. */
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
