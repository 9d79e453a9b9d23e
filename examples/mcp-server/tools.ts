import { fromJsonSchema, McpServer, type McpRequestContext } from '@modelcontextprotocol/server'
import type { Principal } from 'koa-gatehouse/gateway'
import { createInvoice, inEuros, invoicesOf } from '../server/api.ts'

/** The operation of each tool. */
export const TOOL_SCOPES = {
  list_invoices: 'invoices:read',
  create_invoice: 'invoices:create',
  send_reminders: 'reminders:send',
} as const

const newInvoice = fromJsonSchema<{ customer: string; amount: number }>({
  type: 'object',
  properties: {
    customer: { type: 'string', minLength: 1 },
    amount: { type: 'integer', minimum: 1, description: 'in cents' },
  },
  required: ['customer', 'amount'],
})

/**
 * Creates the tools for one request. They do not check scopes, because `requireTool` has already rejected every call without
 * the scope of its tool. The principal says on which account they act.
 *
 * This program has invoices of its own in memory. A real MCP server reads the database of its host.
 */
export function createTools({ authInfo }: McpRequestContext): McpServer {
  const principal = authInfo?.extra?.['principal'] as Principal
  const server = new McpServer({ name: 'harbour-ledger', version: '1.0.0' })
  server.registerTool(
    'list_invoices',
    { description: 'Lists the invoices of the user', annotations: { readOnlyHint: true } },
    () => text(invoicesOf(principal).map((each) => `${each.id}: ${each.customer}, ${inEuros(each.amount)}`)),
  )
  server.registerTool(
    'create_invoice',
    { description: 'Creates an invoice', inputSchema: newInvoice },
    (input) => text([`Created ${createInvoice(principal, input).id}.`]),
  )
  server.registerTool('send_reminders', { description: 'Reminds customers of unpaid invoices' }, () =>
    text(invoicesOf(principal).flatMap(({ paid, customer }) => (paid ? [] : [`Reminded ${customer}.`]))),
  )
  return server
}

const text = (lines: readonly string[]) => ({ content: [{ type: 'text' as const, text: lines.join('\n') }] })
