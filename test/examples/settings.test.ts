import { afterEach, expect, it, vi } from 'vitest'
import { readSettings } from '../../examples/server/settings.ts'

afterEach(() => vi.unstubAllEnvs())

it.each([
  ['80', 'http://localhost'],
  ['0080', 'http://localhost'],
  ['3000', 'http://localhost:3000'],
])('with PORT=%s, the origin is written as browsers write it', (port, origin) => {
  vi.stubEnv('PORT', port)
  vi.stubEnv('PARTNER_PORT', port)
  vi.stubEnv('SPA_PORT', port)
  vi.stubEnv('MCP_PORT', port)
  const origins = { partnerOrigin: origin, spaOrigin: origin, mcpOrigin: origin }
  expect(readSettings()).toMatchObject({ origin, ...origins })
})
