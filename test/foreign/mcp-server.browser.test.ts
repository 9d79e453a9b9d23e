import { spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { Client, UnauthorizedError } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeWithChromium, startChromium } from '../support/chromium.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/package-copy.ts'
import { until } from '../support/until.ts'
import { packExamples, type BuiltExamples, type ExampleProcess } from '../examples/example-process.ts'
import { documentOf } from '../support/client-document.ts'
import { startDocumentHost, type DocumentHost } from '../support/document-host.ts'
import { fakeNetwork, type FakeNetwork } from '../examples/fake-network.ts'
import { createAssistant } from './mcp-client.ts'
import { problemsOf } from './openapi-linters.ts'

/** The client metadata document of the assistant. The example accepts documents of this host. */
const DOCUMENT = 'https://claude.ai/oauth/test-assistant'

const MCP_REMOTE = path.resolve(import.meta.dirname, 'node_modules/mcp-remote/dist/proxy.js')

describeWithChromium('the MCP server of the packed package, in a process of its own', () => {
  let examples: BuiltExamples
  let example: ExampleProcess
  let server: ChildProcess
  let browser: Browser
  let page: Page
  const stopped: (() => Promise<unknown>)[] = []

  let documents: DocumentHost
  let network: FakeNetwork

  beforeAll(async () => {
    examples = await packExamples()
    documents = await startDocumentHost(['claude.ai'])
    const redirect_uris = ['http://127.0.0.1/callback', 'http://localhost/oauth/callback']
    documents.serve(DOCUMENT, documentOf(DOCUMENT, { client_name: 'Test assistant', redirect_uris }))
    network = await fakeNetwork(examples.folder, documents.port)
    example = await examples.start(network.environment)
    await example.ready()
    server = await startMcpServer()
    browser = await startChromium()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    server?.kill()
    await example?.stop()
    await examples?.remove()
    await documents?.close()
    expect(example.stderr()).toBe('')
  })
  beforeEach(async () => {
    page = await (await browser.newContext()).newPage()
    page.setDefaultTimeout(10_000)
  })
  afterEach(async () => {
    await page.context().close()
    await Promise.all(stopped.splice(0).map((stop) => stop()))
  })

  const mcp = () => `http://localhost:${example.mcpPort}/mcp`
  const click = (name: string) => page.getByRole('button', { name, exact: true }).click()

  /** Runs the command that `npm start` prints, until the MCP server listens. */
  async function startMcpServer(): Promise<ChildProcess> {
    const [, command = ''] =
      /^(?:MCP_PORT=\d+ )?node (build\/examples\/mcp-server\.js .*)$/m.exec(example.stdout()) ?? []
    const env = { ...process.env, REDIS_URL: '', MCP_PORT: String(example.mcpPort) }
    const child = spawn(process.execPath, command.split(' '), { cwd: examples.folder, env })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', () => output.includes('MCP server: http') && resolve())
      child.once('close', () => reject(new Error(output)))
    })
    return child
  }

  /** The client id that `npm start` prints for assistants. */
  function clientId(): string {
    const [, id = ''] = /the client id (\S+) in your assistant/.exec(example.stdout()) ?? []
    return id
  }

  /**
   * Alice approves an authorization request in the browser, which then shows the page of the assistant.
   *
   * @param name what the heading names
   */
  async function approve(url: URL, name = 'AI assistant'): Promise<void> {
    await page.goto(url.href)
    if (await page.getByLabel('Password').isVisible()) {
      await page.getByLabel('Name').fill('alice')
      await page.getByLabel('Password').fill('wonderland')
      await click('Sign in')
    }
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain(name)
    expect(await page.locator('main').innerText()).toContain('Harbour Ledger for AI assistants')
    await click('Allow')
    // A page that still loads would interrupt the next authorization request.
    await page.waitForURL((shown) => shown.href.startsWith(url.searchParams.get('redirect_uri') ?? ''))
  }

  async function newAssistant() {
    const approveHost = (url: URL) => approve(url, 'claude.ai')
    const assistant = await createAssistant(mcp(), { clientMetadataUrl: DOCUMENT }, approveHost)
    stopped.push(assistant.close)
    return assistant
  }

  const scopesOf = (url: URL | undefined) => url?.searchParams.get('scope')?.split(' ').toSorted()

  it('a validator and two linters find nothing in the document of its API at /openapi.json', async () => {
    const answer = await fetch(`http://localhost:${example.port}/openapi.json`)
    expect(await problemsOf((await answer.json()) as object)).toEqual([])
  }, 60_000)

  it('an unchanged MCP client finds the service, identifies itself by its document, asks the user, calls a tool, gets further scopes when a tool needs them, refreshes, and is disconnected by the user', async () => {
    const assistant = await newAssistant()
    await assistant.connect()
    const [first] = assistant.requests
    expect(first?.searchParams.get('resource')).toBe(mcp())
    expect(first?.searchParams.get('client_id')).toBe(DOCUMENT)
    expect(scopesOf(first)).toEqual(['invoices:read'])
    expect(await assistant.listTools()).toEqual(['list_invoices', 'create_invoice', 'send_reminders'])
    expect(await assistant.callTool('list_invoices')).toContain('Mad Hatter Teas')
    expect(assistant.requests).toHaveLength(1)

    // Each further tool needs a scope that the token lacks. The client keeps the scopes that it has.
    const created = await assistant.callTool('create_invoice', { customer: 'March Hare', amount: 1200 })
    expect(created).toMatch(/^Created A-\d+\.$/)
    expect(scopesOf(assistant.requests[1])).toEqual(['invoices:create', 'invoices:read'])
    expect(await assistant.callTool('send_reminders')).toContain('Reminded March Hare.')
    expect(scopesOf(assistant.requests[2])).toEqual(['invoices:create', 'invoices:read', 'reminders:send'])
    expect(await assistant.callTool('list_invoices')).toContain('March Hare')
    expect(assistant.requests).toHaveLength(3)

    // The client gets 401 for a token that does not work, refreshes, and repeats the call without the user.
    const before = assistant.tokens
    assistant.tokens = { ...before, access_token: 'expired' }
    expect(await assistant.callTool('list_invoices')).toContain('Mad Hatter Teas')
    expect(assistant.tokens.refresh_token).not.toBe(before.refresh_token)
    expect(assistant.requests).toHaveLength(3)

    const { access_token: accessToken } = assistant.tokens
    await page.goto(`http://localhost:${example.port}/applications`)
    const panel = page.locator('.panel', { hasText: 'claude.ai' })
    await panel.getByRole('link', { name: /Disconnect/ }).click()
    await click('Disconnect')
    await page.getByText(/is disconnected/).waitFor()
    const statusOf = async () => {
      const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
      return (await fetch(mcp(), { method: 'POST', headers, body })).status
    }
    await until(async () => expect(await statusOf()).toBe(401))
    await expect(assistant.callAlone('list_invoices')).rejects.toThrow(UnauthorizedError)
    expect(assistant.requests).toHaveLength(4)
    // The document was fetched once, and nothing outside of this machine was connected.
    expect(await network.log()).toEqual(['claude.ai'])
  }, 60_000)

  it.each([
    ['the registered client id', 'AI assistant'],
    ['a client metadata document', 'claude.ai'],
  ])(
    'mcp-remote connects a program without OAuth of its own, with %s',
    async (_, heading) => {
      const { folder, remove } = await temporaryFolder('mcp-remote')
      stopped.push(remove)
      const identity =
        heading === 'claude.ai'
          ? ['--client-metadata-url', DOCUMENT]
          : ['--static-oauth-client-info', JSON.stringify({ client_id: clientId() })]
      const port = String(await freePort())
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [MCP_REMOTE, mcp(), port, ...identity],
        // `true` is the program that opens addresses: the test opens them itself.
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: folder,
          MCP_REMOTE_CONFIG_DIR: folder,
          BROWSER: 'true',
        },
        stderr: 'pipe',
      })
      const client = new Client({ name: 'program', version: '1.0.0' })
      stopped.push(() => client.close())
      let output = ''
      const asked = new Promise<URL>((resolve) => {
        transport.stderr?.on('data', (chunk) => {
          output += chunk
          const [url] = /^http\S+\/oauth2\/authorize\S+$/m.exec(output) ?? []
          if (url !== undefined) resolve(new URL(url))
        })
      })
      const connected = client.connect(transport)
      const url = await asked
      expect(url.searchParams.get('redirect_uri')).toBe(`http://localhost:${port}/oauth/callback`)
      await approve(url, heading)
      await connected
      const { content } = await client.callTool({ name: 'list_invoices', arguments: {} })
      expect(JSON.stringify(content)).toContain('Mad Hatter Teas')
    },
    60_000,
  )
})
