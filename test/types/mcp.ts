// Only the compiler checks this file: `npx tsc`. A line below `@ts-expect-error` must not compile.
import { createGateway } from '../../src/gateway.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import type { Gatehouse } from '../../src/gatehouse/gatehouse.ts'
import { requireTool } from '../../src/mcp.ts'

declare const gateway: Gateway
declare const gatehouse: Gatehouse<'invoices:read' | 'reminders:send'>

export function theScopesOfToolsAreInferred(): void {
  requireTool(gatehouse.gateway, {
    list_invoices: 'invoices:read',
    remind: ['invoices:read', 'reminders:send'],
  })
  requireTool(gatehouse.gateway.for('https://example.com/mcp'), 'reminders:send')
  requireTool(gateway, { any: 'text' })
  // @ts-expect-error a misspelt name
  requireTool(gatehouse.gateway, { list_invoices: 'invoices:raed' })
  // @ts-expect-error a tool without a scope
  requireTool(gatehouse.gateway, { list_invoices: [] })
  // @ts-expect-error a misspelt name
  requireTool(gatehouse.gateway, 'invoices:raed')

  const remote = createGateway({
    issuer: 'https://example.com/auth',
    audience: 'https://example.com/mcp',
    products: { tools: { title: 'Tools', operations: { 'reminders:send': { title: 'Send reminders' } } } },
  })
  requireTool(remote, { remind: 'reminders:send' })
  // @ts-expect-error a misspelt name
  requireTool(remote, { remind: 'reminders:snd' })
}
