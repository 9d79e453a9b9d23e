import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { freePort } from '../support/free-port.ts'
import { type RedisServer, startRedis } from '../support/redis-server.ts'
import { runToEnd } from '../support/package-copy.ts'
import { buildExamples, type BuiltExamples, type ExampleProcess } from './example-process.ts'

let examples: BuiltExamples

beforeAll(async () => {
  examples = await buildExamples()
})
afterAll(() => examples?.remove())

/** Runs the printed commands in a shell, unchanged, one after the other. */
async function paste(example: ExampleProcess) {
  const lines = example.stdout().match(/^(curl|ANSWER=|TOKEN=|DEVELOPER_TOKEN=|MANAGE=).*$/gm) ?? []
  const output = await runToEnd(examples.folder, 'bash', ['-c', lines.join('\n')])
  const endOfToken = output.indexOf('\n')
  const token = JSON.parse(output.slice(0, endOfToken))
  const answers = output.slice(endOfToken)
  const statuses = [...answers.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status))
  return { count: lines.length, token, answers, statuses }
}

describe('npm start', () => {
  let example: ExampleProcess
  beforeAll(async () => {
    example = await examples.start()
    await example.ready()
  })

  it('the printed curl commands work unchanged, and answer with a token, a 200 and a 403', async () => {
    const { count, token, answers, statuses } = await paste(example)
    expect(count).toBe(8)
    expect(token).toMatchObject({ token_type: 'Bearer', expires_in: 864_000 })
    expect(token.scope.split(' ').toSorted()).toEqual(['invoices:read', 'payments:list', 'payments:transfer'])
    expect(decodeJwt(token.access_token)).toMatchObject({
      iss: `http://localhost:${example.port}/auth`,
      aud: `http://localhost:${example.port}/api`,
      account_id: 'acme',
      access_mode: 'direct',
    })
    expect(statuses).toEqual([200, 403, 201, 200])
    expect(answers).toContain('"clientSecret":"gatehouse_')
    expect(answers).toContain('Harbour Ledger')
    expect(answers).toMatch(/www-authenticate: Bearer .*error="insufficient_scope".*scope="invoices:create"/i)
  })

  it('the commands of docs/management-api.md, six at most, make a key that works', async () => {
    const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/management-api.md'), 'utf8')
    const commands = /^```sh\n(DEVELOPER_TOKEN=[^]*?)^```$/m.exec(page)?.[1] ?? ''
    expect(commands.trim().split('\n').length).toBeLessThanOrEqual(6)
    const token = /^DEVELOPER_TOKEN=(harbour_[\w-]+)$/m.exec(example.stdout())?.[1] ?? ''
    const script = commands
      .replaceAll('localhost:3000', `localhost:${example.port}`)
      .replace('DEVELOPER_TOKEN=harbour_…', `DEVELOPER_TOKEN=${token}`)
    const output = await runToEnd(examples.folder, 'bash', ['-c', script])
    expect(output).toContain('HTTP/1.1 200')
    expect(output).toContain('"invoices":[')
  })

  it('the operations of the document of the API at /openapi.json answer as it says', async () => {
    const origin = `http://localhost:${example.port}`
    const document = await (await fetch(`${origin}/openapi.json`)).json()
    const { paths, servers } = document as {
      paths: Record<string, Record<string, { responses: object }>>
      servers: { url: string }[]
    }
    for (const [template, methods] of Object.entries(paths)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        const answer = await fetch(servers[0]?.url + template.replaceAll(/{\w+}/g, 'A-1001'), {
          method: method.toUpperCase(),
        })
        expect(answer.status).toBe(401)
        expect(Object.keys(responses)).toContain('401')
        expect(Object.keys(responses)).toContain('429')
      }
    }
  }, 60_000)

  it('npm start prints the address of the delegated flow, and the users who can sign in', () => {
    expect(example.stdout()).toContain(`http://localhost:${example.partnerPort}`)
    expect(example.stdout()).toMatch(/alice +password: wonderland/)
    expect(example.stdout()).toMatch(/bob +password: builder/)
  })

  it('npm start prints nothing before its own lines, on Node.js 20 too', () => {
    expect(example.stderr()).toBe('')
  })

  it('npm start prints no NOTICE and no WARNING of its dependencies', () => {
    const lines = `${example.stdout()}\n${example.stderr()}`.split('\n')
    const complaints = lines.filter((line) => /NOTICE|WARNING|Warning|deprecat/i.test(line))
    expect(complaints).toEqual([])
  })

  it('npm start serves paths outside of the API without a token, and protects all paths of the API', async () => {
    const status = async (url: string) => (await fetch(`http://localhost:${example.port}${url}`)).status
    expect(await status('/health')).toBe(200)
    expect(await status('/api/health')).toBe(404)
    expect(await status('/api/invoices/list')).toBe(401)
    expect(await status('/api/unheard-of')).toBe(404)
  })

  it('npm start prints the address of its health check, which reports that gatehouse is ready and that the store is volatile', async () => {
    const [address = ''] = /http:\S+\/health/.exec(example.stdout()) ?? []
    const response = await fetch(address)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      ready: true,
      status: 'warn',
      checks: expect.arrayContaining([
        expect.objectContaining({ name: 'store.persistence', status: 'warn' }),
        expect.objectContaining({ name: 'signing-keys', status: 'pass' }),
      ]),
    })
  })

  it('npm start ends with one line and exit code 1 if its port is taken', async () => {
    const second = await examples.start({ PORT: String(example.port) })
    expect(await second.ended).toBe(1)
    expect(second.stderr()).toBe(`Port ${example.port} is taken; choose another port with PORT=…\n`)
    expect(second.stdout()).not.toContain('curl')
  })

  it('npm start ends with one line and exit code 1 if the port of the partner app is taken', async () => {
    const second = await examples.start({ PARTNER_PORT: String(example.partnerPort) })
    expect(await second.ended).toBe(1)
    expect(second.stderr()).toBe(
      `Port ${example.partnerPort} is taken; choose another port with PARTNER_PORT=…\n`,
    )
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('%s quickly ends npm start with exit code 0', async (signal) => {
    const second = await examples.start()
    await second.ready()
    // An open keep-alive connection must not delay the exit.
    await fetch(`http://localhost:${second.port}/`)
    const before = performance.now()
    expect(await second.stop(signal)).toBe(0)
    expect(performance.now() - before).toBeLessThan(15_000)
    expect(second.stderr()).toBe('')
  })
})

describe('npm start with a mistake', () => {
  it.each([
    [{ PORT: 'http' }, 'PORT is "http", and not a port from 1 to 65535\n'],
    [{ PARTNER_PORT: '70000' }, 'PARTNER_PORT is "70000", and not a port from 1 to 65535\n'],
    [{ REDIS_URL: 'localhost:6379' }, 'REDIS_URL is not an address such as redis://localhost:6379\n'],
  ])('the setting %j ends npm start with one line and exit code 1', async (environment, line) => {
    const example = await examples.start({ GATEHOUSE_SECRET: 'x'.repeat(32), ...environment })
    expect(await example.ended).toBe(1)
    expect(example.stderr()).toBe(line)
  })

  it('npm start ends within seconds with one line and exit code 1 if Redis is unreachable', async () => {
    const port = await freePort()
    const before = performance.now()
    const example = await examples.start({ REDIS_URL: `redis://:not-to-be-printed@127.0.0.1:${port}` })
    expect(await example.ended).toBe(1)
    expect(performance.now() - before).toBeLessThan(15_000)
    expect(example.stderr()).toBe(
      `Redis at 127.0.0.1:${port} cannot be used: connect ECONNREFUSED 127.0.0.1:${port}\n`,
    )
    // npm start saves a new secret in .env only after gatehouse has started with this secret.
    expect(existsSync(path.join(examples.folder, '.env'))).toBe(false)
  })
})

describeWithRedis('npm start on Redis', () => {
  let redis: RedisServer
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis?.stop())

  it('npm start works repeatedly on Redis, with a secret in .env that only its owner can read', async () => {
    const first = await examples.start({ REDIS_URL: redis.url })
    await first.ready()
    expect((await paste(first)).statuses).toEqual([200, 403, 201, 200])
    await first.stop()

    const envFile = path.join(examples.folder, '.env')
    const made = readFileSync(envFile, 'utf8')
    expect(made).toMatch(/^GATEHOUSE_SECRET=[\w-]{43}\n$/)
    expect(statSync(envFile).mode & 0o077).toBe(0)

    // The second start uses other ports than the first start, and the same data and secret.
    const second = await examples.start({ REDIS_URL: redis.url })
    await second.ready()
    expect((await paste(second)).statuses).toEqual([200, 403, 201, 200])
    expect(readFileSync(envFile, 'utf8')).toBe(made)
    const clientId = (example: ExampleProcess) => example.stdout().match(/client_id=(\S+)/)?.[1]
    expect(clientId(second)).toBe(clientId(first))
    await second.stop()
    rmSync(envFile)
  })

  it.each([{ GATEHOUSE_SECRET: 'another '.repeat(8) }, {}])(
    'npm start prints the remedy and ends with exit code 1 if its secret is not the secret of the data in Redis (%j)',
    async (environment) => {
      const example = await examples.start({ REDIS_URL: redis.url, ...environment })
      expect(await example.ended).toBe(1)
      const [wrong = '', remedy = '', ...rest] = example.stderr().split('\n')
      expect(wrong).toContain('secret')
      expect(remedy).toContain('set GATEHOUSE_SECRET to its previous value')
      expect(rest).toEqual([''])
      // If the environment has no secret, npm start creates one. It does not save a secret that is wrong.
      expect(existsSync(path.join(examples.folder, '.env'))).toBe(false)
    },
  )
})
