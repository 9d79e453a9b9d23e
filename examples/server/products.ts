/** What can be done with the API. The scopes below are checked by TypeScript wherever they are used. */
export const products = {
  invoices: {
    title: 'Invoices',
    operations: {
      'invoices:read': {
        route: ['GET /invoices/list', 'GET /invoices/:id'],
        title: 'Read your invoices',
      },
      'invoices:create': {
        route: 'POST /invoices/create',
        title: 'Create invoices',
        description: 'New invoices are sent to your customers in your name.',
      },
    },
  },
  payments: {
    title: 'Payments',
    operations: {
      'payments:list': { route: 'GET /payments/list', title: 'Read your payments' },
      // Acme's KYC level is "basic": its application cannot even ask for this one.
      'payments:transfer': { route: 'POST /payments/transfer', title: 'Move money', kycLevel: 'verified' },
    },
  },
} as const
