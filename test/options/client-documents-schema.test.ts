import { createGatehouse } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { expect, it } from 'vitest'
import { kycLevels, products } from '../fixtures/products.ts'

const AGENT = { match: 'https://agent.example.com/*', products: ['invoices'] }

/** The problems of the option, as `path: message`. */
function problemsOf(clientDocuments: unknown): string[] {
  try {
    createGatehouse({
      issuer: 'https://example.com/auth',
      audience: 'https://example.com/api',
      store: memoryStore(),
      products,
      kycLevels,
      accounts: { find: (id) => ({ id }) },
      clientDocuments: clientDocuments as [],
    })
    return []
  } catch (error) {
    const { problems } = error as { problems: { path: string; message: string }[] }
    return problems.map(({ path, message }) => `${path}: ${message}`)
  }
}

it('the option accepts addresses, beginnings of addresses, and every host after hosts of its own', () => {
  for (const value of [
    [{ ...AGENT, match: 'https://agent.example.com/client.json' }],
    [AGENT],
    [
      { ...AGENT, name: 'verified' },
      { ...AGENT, match: 'https://*' },
    ],
    [{ ...AGENT, kycLevel: 'basic', loopback: true }],
    [],
  ]) {
    expect(problemsOf(value)).toEqual([])
  }
})

it('the option rejects every other pattern', () => {
  const patterns =
    'http://agent.example.com/* https://agent.example.com* https://agent.example.com https://agent.example.com/ https://*.example.com/* https://agent.example.com/*/x https://Agent.example.com/* https://agent.example.com:443/* https://user@agent.example.com/* https://agent.example.com/a/../* *'
  const problem = expect.stringMatching(
    /^clientDocuments\[0\]\.match: must be the address of a document/,
  ) as string
  for (const match of ['', ...patterns.split(' ')]) {
    expect([match, ...problemsOf([{ ...AGENT, match }])]).toEqual([match, problem])
  }
})

it.each<[string, unknown, string]>([
  ['no list', {}, 'clientDocuments: must be a list'],
  ['an unknown field', [{ ...AGENT, product: 'x' }], 'clientDocuments[0].product: is unknown'],
  [
    'no product',
    [{ ...AGENT, products: [] }],
    'clientDocuments[0].products: must have at least one product id',
  ],
  [
    'an unknown product',
    [{ ...AGENT, products: ['invoice'] }],
    'clientDocuments[0].products: names products that do not exist: invoice',
  ],
  [
    'an unknown level',
    [{ ...AGENT, kycLevel: 'high' }],
    'clientDocuments[0].kycLevel: must be one of: none, basic, verified',
  ],
  ['another name', [{ ...AGENT, name: true }], 'clientDocuments[0].name: must be "verified"'],
  [
    'a verified name of every host',
    [{ ...AGENT, match: 'https://*', name: 'verified' }],
    'clientDocuments[0].name: is possible only for hosts that you know',
  ],
  [
    'an entry that never applies',
    [{ ...AGENT, match: 'https://*' }, AGENT],
    'clientDocuments[1].match: never applies',
  ],
  ['an entry twice', [AGENT, AGENT], 'clientDocuments[1].match: never applies'],
])('the option rejects %s', (_, value, problem) => {
  expect(problemsOf(value).join('\n')).toContain(problem)
})
