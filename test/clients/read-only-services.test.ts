import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory.ts'
import { createReadOnlyServices } from '../../src/clients/read-only-services.ts'
import { failure } from './each-kind.ts'
import { services } from './setup.ts'

describe('the read-only services of a host registry', () => {
  const reported: unknown[][] = []
  const working = services(memoryStore())
  const readOnly = createReadOnlyServices(working, {
    reportCompromised: async (...args) => void reported.push(args),
  })

  it.each(['apiKeys', 'applications'] as const)(
    'the read-only service %s has every method, and all methods except reportCompromised reject',
    async (service) => {
      const methods = Object.entries<(...args: never[]) => Promise<unknown>>({ ...readOnly[service] })
      expect(methods.map(([name]) => name).toSorted()).toEqual(Object.keys(working[service]).toSorted())
      for (const [name, method] of methods) {
        if (name === 'reportCompromised') continue
        await expect(method()).rejects.toThrow(
          failure('ERR_REGISTRY_READ_ONLY', expect.stringContaining(`${service}.${name}()`)),
        )
      }
    },
  )

  it('reportCompromised of each service revokes tokens of its own kind of client', async () => {
    await readOnly.apiKeys.reportCompromised('a', { actor: 'ops' })
    await readOnly.applications.reportCompromised('b')
    expect(reported).toEqual([
      ['apiKey', 'a', { actor: 'ops' }],
      ['application', 'b', undefined],
    ])
  })
})
