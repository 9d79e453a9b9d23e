/**
 * `npm run docs:screenshots`: takes the pictures of `docs/images/` from the example server, light and dark, and writes the
 * structure of each page into `pages.json`. With `--check` it takes no picture, and fails if a page has another structure.
 *
 * Needs Chromium on PATH, or its path in `CHROMIUM`. The example server is that of the working folder.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { chromium } from 'playwright-core'

const root = process.cwd()
const images = path.resolve(import.meta.dirname, '../images')
const structures = path.join(images, 'pages.json')
const isCheck = process.argv.includes('--check')
const [port, partnerPort, spaPort] = [await freePort(), await freePort(), await freePort()]
/**
 * The structure of each page that a picture shows.
 *
 * @type {Record<string, string>}
 */
const pages = {}
const host = `http://localhost:${port}`
const partner = `http://localhost:${partnerPort}`

const preload = path.join(root, 'examples/hide-runtime-warning.mjs')
const server = spawn(process.execPath, ['--import', preload, path.join(root, 'build/examples/server.js')], {
  // A folder without `.env`, so that the example runs in memory.
  cwd: images,
  env: {
    PATH: process.env.PATH,
    PORT: String(port),
    PARTNER_PORT: String(partnerPort),
    SPA_PORT: String(spaPort),
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
let printed = ''
server.stdout.setEncoding('utf8').on('data', (text) => (printed += text))
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--hide-scrollbars'],
})
try {
  await answers(partner)
  await useApiKey()
  const schemes = /** @type {const} */ (isCheck ? ['light'] : ['light', 'dark'])
  for (const colorScheme of schemes) await takePictures(colorScheme)
} finally {
  await browser.close()
  server.kill()
}
if (isCheck) {
  const known = JSON.parse(await readFile(structures, 'utf8'))
  const changed = Object.keys({ ...known, ...pages }).filter((name) => known[name] !== pages[name])
  if (changed.length > 0)
    throw new Error(`run npm run docs:screenshots: these pages changed: ${changed.join()}`)
} else await writeFile(structures, `${JSON.stringify(pages, undefined, 2)}\n`)

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address())
  probe.close()
  await once(probe, 'close')
  return port
}

/**
 * Takes a picture of a page, and notes its elements and their classes, without texts and values.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} name
 * @param {'light' | 'dark'} colorScheme
 */
async function takePicture(page, name, colorScheme) {
  const outline = await page.evaluate(`
    Array.from(document.body.querySelectorAll(':not(svg *)'), (each) => each.localName + '.' + each.classList.value).join()
  `)
  pages[name] = createHash('sha256').update(String(outline)).digest('base64url').slice(0, 16)
  if (isCheck) return
  const file = path.join(images, `${name}-${colorScheme}.png`)
  await page.screenshot({ path: file, fullPage: true, animations: 'disabled' })
}

/**
 * Waits until a server answers, at most ten seconds.
 *
 * @param {string} url
 */
async function answers(url) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (await fetch(url).catch(() => undefined)) return
    await delay(100)
  }
  throw new Error(`${url} does not answer`)
}

/** Makes some calls with the API key of the printed commands, so that the console has numbers. */
async function useApiKey() {
  while (!printed.includes('client_secret=')) await delay(100)
  const [, client_id = '', client_secret = ''] =
    /client_id=(\S+) -d client_secret=([\w-]+)/.exec(printed) ?? []
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
  const token = await fetch(`${host}/auth/oauth2/token`, { method: 'POST', body })
  const { access_token } = await token.json()
  const headers = { authorization: `Bearer ${access_token}` }
  for (let calls = 0; calls < 40; calls += 1) {
    const call = await fetch(`${host}/api/invoices/list`, { headers })
    if (!call.ok) throw new Error(`the API answers ${call.status}`)
  }
  // The key may not do this.
  for (let calls = 0; calls < 4; calls += 1)
    await fetch(`${host}/api/invoices/create`, { method: 'POST', headers })
}

/** @param {'light' | 'dark'} colorScheme */
async function takePictures(colorScheme) {
  const context = await browser.newContext({ colorScheme, viewport: { width: 720, height: 400 } })
  const page = await context.newPage()
  /** @param {string} name */
  const picture = (name) => takePicture(page, name, colorScheme)

  await page.goto(partner)
  await page.getByRole('button', { name: 'Connect your account' }).click()
  await page.getByLabel('Name').fill('alice')
  await page.getByLabel('Password').fill('wonderland')
  await picture('sign-in')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Allow' }).waitFor()
  await picture('consent')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL(`${partner}/**`)
  await page.goto(`${host}/applications`)
  await picture('connected-applications')
  await page.goto(`${host}/auth/oauth2/authorize?response_type=code&client_id=unknown`)
  await picture('error')
  // The next turn begins without a connection, as the first one did.
  await page.goto(`${host}/applications`)
  await page.getByRole('link', { name: 'Disconnect' }).click()
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByRole('button', { name: 'Disconnect' }).waitFor({ state: 'detached' })
  await context.close()
  await takeConsolePictures(colorScheme)
}

/** @param {'light' | 'dark'} colorScheme */
async function takeConsolePictures(colorScheme) {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1040, height: 500 } })
  const page = await context.newPage()
  /** @param {string} name */
  const picture = (name) => takePicture(page, `console-${name}`, colorScheme)
  /**
   * @param {string} user
   * @param {string} password
   * @param {string} address
   */
  async function signIn(user, password, address) {
    await context.clearCookies()
    await page.goto(host + address)
    await page.getByLabel('Name').fill(user)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(host + address)
  }

  await signIn('acme', 'dynamite', '/console')
  await picture('overview')
  await page.goto(`${host}/console/api-keys`)
  await picture('api-keys')
  await page.getByRole('link', { name: 'Nightly export' }).click()
  await page.getByRole('heading', { name: 'Nightly export' }).waitFor()
  await picture('api-key')
  await signIn('olga', 'lighthouse', '/console/operator/signing-keys')
  await picture('signing-keys')
  await context.close()
}
