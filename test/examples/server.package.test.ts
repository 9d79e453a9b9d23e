import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { complaintsIn } from '../support/complaints.ts'
import { describeWithRedis } from '../support/describe-with-redis.ts'
import { runToEnd } from '../support/package-copy.ts'
import { type RedisServer, startRedis } from '../support/redis-server.ts'
import { until } from '../support/until.ts'
import { copyExamples, NPM_START, type BuiltExamples, type ExampleProcess } from './example-process.ts'

/** The tests run in this order: the last ones end the server, and start it again on the same data. */
describeWithRedis('npm start on Redis', () => {
  let redis: RedisServer
  let examples: BuiltExamples
  let example: ExampleProcess
  beforeAll(async () => {
    ;[redis, examples] = await Promise.all([startRedis(), copyExamples()])
    example = await examples.start({ REDIS_URL: redis.url }, NPM_START)
    await example.ready()
  })
  afterAll(async () => {
    await examples?.remove()
    await redis?.stop()
  })

  const origin = () => `http://localhost:${example.port}`
  const envFile = () => path.join(examples.folder, '.env')

  /** Runs the printed commands in a shell, unchanged, one after the other. */
  async function paste() {
    const lines = example.stdout().match(/^(curl|ANSWER=|TOKEN=|DEVELOPER_TOKEN=|MANAGE=).*$/gm) ?? []
    const output = await runToEnd(examples.folder, 'bash', ['-c', lines.join('\n')])
    const endOfToken = output.indexOf('\n')
    const token = JSON.parse(output.slice(0, endOfToken))
    const answers = output.slice(endOfToken)
    const statuses = [...answers.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status))
    return { count: lines.length, token, answers, statuses }
  }

  it('the printed curl commands work unchanged, and answer with a token, a 200 and a 403', async () => {
    const { count, token, answers, statuses } = await paste()
    expect(count).toBe(8)
    expect(token).toMatchObject({ token_type: 'Bearer', expires_in: 864_000 })
    expect(token.scope.split(' ').toSorted()).toEqual(['invoices:read', 'payments:list', 'payments:transfer'])
    expect(decodeJwt(token.access_token)).toMatchObject({
      iss: `${origin()}/auth`,
      aud: `${origin()}/api`,
      account_id: 'acme',
      access_mode: 'direct',
    })
    expect(statuses).toEqual([200, 403, 201, 200])
    expect(answers).toContain('"clientSecret":"gatehouse_')
    expect(answers).toContain('Harbour Ledger')
    expect(answers).toMatch(/www-authenticate: Bearer .*error="insufficient_scope".*scope="invoices:create"/i)
  })

  it('npm start prints the address of the delegated flow and the users who can sign in, and no warning', () => {
    expect(example.stdout()).toContain(`http://localhost:${example.partnerPort}`)
    expect(example.stdout()).toMatch(/alice +password: wonderland/)
    expect(example.stdout()).toMatch(/bob +password: builder/)
    expect(example.stderr()).toBe('')
    expect(complaintsIn(example.stdout())).toEqual([])
  })

  it('npm start prints the remedy and ends with exit code 1 if its secret is not the secret of the data in Redis', async () => {
    const made = readFileSync(envFile(), 'utf8')
    const environment = {
      REDIS_URL: redis.url,
      GATEHOUSE_SECRET: 'another '.repeat(8),
    }
    const other = await examples.start(environment)
    expect(await other.ended).toBe(1)
    const [wrong = '', remedy = '', ...rest] = other.stderr().split('\n')
    expect(wrong).toContain('secret')
    expect(remedy).toContain('set GATEHOUSE_SECRET to its previous value')
    expect(rest).toEqual([''])
    expect(readFileSync(envFile(), 'utf8')).toBe(made)
  })

  it('npm start ends with its process: after the end of npm, no server answers', async () => {
    void example.stop('SIGTERM')
    const ports = [example.port, example.partnerPort, example.spaPort]
    const isAnswered = (port: number) => fetch(`http://localhost:${port}/`).then(Boolean, () => false)
    await until(async () => expect(await Promise.all(ports.map(isAnswered))).toEqual([false, false, false]))
  })

  it('npm start works repeatedly on Redis, with a secret in .env that only its owner can read', async () => {
    const made = readFileSync(envFile(), 'utf8')
    expect(made).toMatch(/^GATEHOUSE_SECRET=[\w-]{43}\n$/)
    expect(statSync(envFile()).mode & 0o077).toBe(0)
    const clientId = () => /client_id=(\S+)/.exec(example.stdout())?.[1]
    const before = clientId()
    // With another port, this would be another service on the same Redis, which is logged.
    example = await examples.start({ REDIS_URL: redis.url, PORT: String(example.port) })
    await example.ready()
    expect((await paste()).statuses).toEqual([200, 403, 201, 200])
    expect(readFileSync(envFile(), 'utf8')).toBe(made)
    expect(clientId()).toBe(before)
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
    const document = await (await fetch(`${origin()}/openapi.json`)).json()
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
  })

  it('npm start serves paths outside of the API without a token, protects the API, and reports its health', async () => {
    const status = async (url: string) => (await fetch(origin() + url)).status
    expect(await status('/api/health')).toBe(404)
    expect(await status('/api/invoices/list')).toBe(401)
    expect(await status('/api/unheard-of')).toBe(404)
    const [address = ''] = /http:\S+\/health/.exec(example.stdout()) ?? []
    const response = await fetch(address)
    expect(response.status).toBe(200)
    const checks = expect.arrayContaining([expect.objectContaining({ name: 'signing-keys', status: 'pass' })])
    expect(await response.json()).toMatchObject({ ready: true, checks })
  })

  it('SIGINT ends the server with exit code 0, although a keep-alive connection is open', async () => {
    await fetch(`${origin()}/`)
    expect(await example.stop('SIGINT')).toBe(0)
    expect(example.stderr()).toBe('')
  })
})
