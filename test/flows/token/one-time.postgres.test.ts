import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { migratePostgres, postgresStore } from 'koa-gatehouse/adapters/postgres'
import { describeWithPostgres } from '../../support/describe-with-postgres.ts'
import { compileHostProgram, type HostProcess, type HostProgram } from '../../support/host-process.ts'
import { connect, startHost, type Host } from '../../support/host.ts'
import { startPostgres, type PostgresServer } from '../../support/postgres-server.ts'
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'

const PARALLEL = 100
const ROUNDS = 2
const FAMILIES = 8

type Client = Awaited<ReturnType<Host['createApplication']>>

describeWithPostgres('one-time refresh tokens of two processes while PostgreSQL fails', () => {
  let program: HostProgram
  beforeAll(async () => {
    program = await compileHostProgram()
  })
  afterAll(() => program?.remove())

  let primary: PostgresServer
  let proxy: TcpProxy
  let pool: Pool
  let first: Host
  let second: HostProcess
  let client: Client

  /** Starts a service of two processes, whose connections lead through one proxy. */
  async function start(refreshTokenGraceSeconds: number): Promise<void> {
    const connectionString = primary.url.replace(String(primary.port), String(proxy.port))
    pool = new Pool({ connectionString, connectionTimeoutMillis: 1000 })
    const gatehouse = { refreshTokenGraceSeconds }
    first = await startHost({ store: postgresStore({ pool }), gatehouse })
    const { issuer, audience } = first
    const options = { databaseUrl: connectionString, keyPrefix: '', issuer, audience, ...gatehouse }
    second = await program.start(options)
    client = await first.createApplication()
  }

  /** The first process gets requests with an even number, the second the others. Undefined if there was no answer. */
  async function refresh(token: string, number: number) {
    const body = { ...client, grant_type: 'refresh_token', refresh_token: token }
    const sent = number % 2 === 0 ? first.token(body) : first.post(`${second.address}/oauth2/token`, body)
    return sent.catch(() => undefined)
  }

  /** Waits until both processes work again. */
  const served = () =>
    vi.waitFor(
      async () => {
        const { refresh_token } = await connect(first, client)
        expect((await refresh(refresh_token, 1))?.status).toBe(200)
      },
      { timeout: 20_000, interval: 100 },
    )

  async function promote(standby: PostgresServer): Promise<void> {
    await primary.kill()
    await standby.ask('select pg_promote()')
    proxy.retarget(standby.port)
    await served()
  }

  beforeEach(async () => {
    primary = await startPostgres({ settings: { fsync: 'on', full_page_writes: 'on' } })
    proxy = await startTcpProxy(primary.port)
    const migrating = new Pool({ connectionString: primary.url })
    await migratePostgres({ pool: migrating })
    await migrating.end()
  })
  afterEach(async () => {
    await second?.stop()
    await first?.close()
    await proxy.close()
    await pool?.end()
    await primary.stop()
  })

  it(`while PostgreSQL restarts, at most one of ${PARALLEL} parallel uses of a refresh token succeeds`, async () => {
    await start(0)
    for (let round = 0; round < ROUNDS; round += 1) {
      const { refresh_token } = await connect(first, client)
      const uses = Array.from({ length: PARALLEL }, async (_, number) => {
        await delay(Math.random() * 300)
        return refresh(refresh_token, number)
      })
      await delay(Math.random() * 100)
      await primary.restart()
      const answers = await Promise.all(uses)
      await served()
      const statuses = answers.map((answer) => answer?.status)
      expect(statuses.filter((status) => status === 200).length, String(statuses)).toBeLessThanOrEqual(1)
      for (const status of statuses) expect([200, 400, 503]).toContain(status)
      // If a use has succeeded, the token is used. Otherwise one more use decides.
      const later = await Promise.all(
        Array.from({ length: 10 }, (_, number) => refresh(refresh_token, number)),
      )
      const all = [...answers, ...later].filter((answer) => answer?.status === 200)
      expect(all.length).toBeLessThanOrEqual(1)
    }
  })

  it('while a standby of synchronous_standby_names is promoted, no refresh is lost, and none is doubled', async () => {
    const standby = await primary.startStandby()
    try {
      await primary.ask(`alter system set synchronous_standby_names = 'standby'`)
      await primary.ask('select pg_reload_conf()')
      await vi.waitFor(async () =>
        expect(await primary.ask('select sync_state from pg_stat_replication')).toEqual([
          { sync_state: 'sync' },
        ]),
      )
      await start(60)
      const rejected: unknown[] = []
      const tokens = await Promise.all(Array.from({ length: FAMILIES }, () => connect(first, client)))
      let [isOver, isPromoted, before, after, unavailable] = [false, false, 0, 0, 0]
      const families = tokens.map(async ({ refresh_token }, family) => {
        let token = refresh_token
        for (let number = family; !isOver; number += 1) {
          const answer = await refresh(token, number)
          if (answer?.status === 200) {
            token = String(answer.body['refresh_token'])
            if (isPromoted) after += 1
            else before += 1
          } else if (answer === undefined || answer.status === 503) {
            unavailable += 1
            await delay(20)
          } else {
            rejected.push(answer.body)
            return
          }
        }
      })
      await vi.waitFor(() => expect(before).toBeGreaterThan(FAMILIES * 3), { timeout: 20_000 })
      await promote(standby)
      isPromoted = true
      await vi.waitFor(() => expect(after).toBeGreaterThan(FAMILIES * 3), { timeout: 20_000 })
      isOver = true
      await Promise.all(families)
      expect(rejected).toEqual([])
      expect(unavailable).toBeGreaterThan(0)
    } finally {
      await standby.stop()
    }
  })

  it('without synchronous_standby_names, a promoted standby may lack the last refresh: the older token is valid again', async () => {
    const standby = await primary.startStandby()
    try {
      await start(0)
      const { refresh_token: before } = await connect(first, client)
      const [row] = await primary.ask('select pg_current_wal_lsn() as lsn')
      const replayed = `select pg_last_wal_replay_lsn() >= '${String(row?.['lsn'])}' as is`
      await vi.waitFor(async () => expect(await standby.ask(replayed)).toEqual([{ is: true }]))
      await standby.ask(`alter system set primary_conninfo = ''`)
      await standby.ask('select pg_reload_conf()')
      await vi.waitFor(async () => expect(await standby.ask('select from pg_stat_wal_receiver')).toEqual([]))
      const refreshed = await refresh(before, 0)
      expect(refreshed?.status).toBe(200)
      await promote(standby)
      expect((await refresh(before, 0))?.status).toBe(200)
      expect((await refresh(String(refreshed?.body['refresh_token']), 0))?.status).toBe(400)
    } finally {
      await standby.stop()
    }
  })
})
