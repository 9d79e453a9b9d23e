/** The products of the API. TypeScript checks these scopes wherever they are used. */
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
      // The application of Acme cannot request this operation, because Acme's KYC level is only "basic".
      'payments:transfer': {
        route: 'POST /payments/transfer',
        title: 'Move money',
        kycLevel: 'verified',
        sensitive: true,
      },
    },
  },
  // An AI agent sends reminders through the MCP server, and the API has no route for it.
  reminders: {
    title: 'Reminders',
    operations: {
      'reminders:send': {
        title: 'Remind customers of unpaid invoices',
        description: 'The reminders are sent in your name.',
      },
    },
  },
} as const
