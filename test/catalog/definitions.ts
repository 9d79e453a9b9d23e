import type { ProductDefinitions } from '../../src/catalog/definition.ts'

/** The products of most catalog tests. */
export const products: ProductDefinitions = {
  invoices: {
    title: 'Invoices',
    operations: {
      'invoices:read': { route: ['GET /invoices/list', 'GET /invoices/:id'], title: 'Read your invoices' },
      'invoices:create': { route: 'POST /invoices/create', title: 'Create invoices' },
    },
  },
  payments: {
    title: { en: 'Payments', de: 'Zahlungen' },
    operations: {
      'payments:list': { route: 'GET /payments/list', title: 'Read your payments', kycLevel: 'basic' },
      'payments:transfer': {
        route: 'POST /payments/transfer',
        title: 'Move money',
        description: 'To any account.',
        kycLevel: 'verified',
      },
      'invoices:create': { route: 'POST /invoices/create', title: 'Create invoices' },
    },
  },
}

export const kycLevels = ['none', 'basic', 'verified']
