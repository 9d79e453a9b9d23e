import { Router } from '@koa/router'
import type { Principal } from 'koa-gatehouse'

interface Invoice {
  readonly id: string
  readonly customer: string
  /** In cents. */
  readonly amount: number
  readonly paid: boolean
}

const invoices = new Map<string, Invoice[]>([
  [
    'alice',
    [
      { id: 'A-1001', customer: 'Mad Hatter Teas', amount: 42_000, paid: true },
      { id: 'A-1002', customer: 'Cheshire Cats & Co.', amount: 18_950, paid: false },
    ],
  ],
  ['bob', [{ id: 'B-2001', customer: 'Wendy Roofing', amount: 99_900, paid: false }]],
  ['acme', [{ id: 'C-3001', customer: 'Harbour Ledger', amount: 7_500, paid: true }]],
])

/**
 * The API. It does not check tokens or scopes, because the gateway has already rejected every call without a
 * valid token and scope. `ctx.state.auth` contains the account that a call acts on.
 */
export const api = new Router<{ auth: Principal }>({ prefix: '/api' })
  .get('/invoices/list', (ctx) => {
    ctx.body = { invoices: invoicesOf(ctx.state.auth) }
  })
  .post('/invoices/create', (ctx) => {
    const { customer, amount } = Object(ctx.request.body)
    if (typeof customer !== 'string' || customer === '' || !Number.isSafeInteger(amount) || amount <= 0) {
      ctx.status = 422
      ctx.body = { error: 'customer (text) and amount (cents, above 0) are needed' }
      return
    }
    ctx.status = 201
    ctx.body = createInvoice(ctx.state.auth, { customer, amount })
  })
  .get('/invoices/:id', (ctx) => {
    // Searches only the invoices of this account. The scope permits the operation, and the account determines
    // the data.
    ctx.body = invoicesOf(ctx.state.auth).find(({ id }) => id === ctx.params.id)
    if (!ctx.body) ctx.throw(404, 'No such invoice')
  })
  .get('/payments/list', (ctx) => {
    const paid = invoicesOf(ctx.state.auth).filter((invoice) => invoice.paid)
    ctx.body = { payments: paid.map(({ id, amount }) => ({ invoice: id, amount })) }
  })
  .post('/payments/transfer', (ctx) => {
    ctx.status = 202
    ctx.body = { status: 'accepted', from: ctx.state.auth.accountId }
  })

/** Invoices of the account that the call acts on. */
export const invoicesOf = ({ accountId }: Pick<Principal, 'accountId'>): readonly Invoice[] =>
  invoices.get(accountId) ?? []

/** Creates an invoice of the account that the call acts on. */
export function createInvoice(
  { accountId }: Pick<Principal, 'accountId'>,
  input: Pick<Invoice, 'customer' | 'amount'>,
): Invoice {
  const own = invoicesOf({ accountId })
  const invoice = { id: `${accountId[0]?.toUpperCase()}-${9001 + own.length}`, ...input, paid: false }
  invoices.set(accountId, [...own, invoice])
  return invoice
}

/** Formats an amount of cents for people. */
export const inEuros = (cents: number): string =>
  new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' }).format(cents / 100)
