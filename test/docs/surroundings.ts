/** The declarations of the app that the code blocks of the documents use. */
export const SURROUNDINGS = `
import type { Server } from 'node:http'
import type { Redis as RedisClient } from 'ioredis'
import type { Pool } from 'pg'
import type Koa from 'koa'
import type { Middleware } from 'koa'
import type KoaRouter from '@koa/router'
import type { Gatehouse, GatehouseOptions, Logger, ProductDefinition, ProductDefinitions, Store } from 'koa-gatehouse'
import type { WebSocketServer } from 'ws'

declare global {
  const logger: Logger
  const app: Koa
  const api: Koa
  const router: KoaRouter
  const server: Server
  const redis: RedisClient
  const pool: Pool
  const store: Store
  const issuer: string
  const leakedToken: string
  const audience: string
  const webSocketServer: WebSocketServer
  const products: ProductDefinitions<'none' | 'basic' | 'verified'>
  const options: Omit<GatehouseOptions, 'products' | 'kycLevels' | 'accounts'> & { accounts: { find(id: string): undefined } }
  const gatehouse: Gatehouse<'invoices:read' | 'invoices:create', 'invoices' | 'payments'>
  const createGatehouse: typeof import('koa-gatehouse').createGatehouse
  const createGateway: typeof import('koa-gatehouse/gateway').createGateway
  const redisStore: typeof import('koa-gatehouse/adapters/redis').redisStore
  const checkPassword: (identifier: string, password: string) => Promise<string | undefined>
  const cors: () => Middleware
  const session: typeof import('koa-session').default
  const bodyParser: typeof import('@koa/bodyparser').bodyParser
  const mount: typeof import('koa-mount')
  const db: {
    account(id: string): Promise<{ id: string; kycLevel: 'none' | 'basic' | 'verified'; name: string; email: string } | undefined>
    accountOfGoogleUser(sub: string): Promise<string>
    member(accountId: string, userId: string): Promise<{ name: string; email: string; role: string } | undefined>
    planOf(accountId: string): Promise<'free' | 'pro'>
    setKycLevel(id: string, kycLevel: 'none' | 'basic' | 'verified'): Promise<void>
    products(): Promise<(Pick<ProductDefinition, 'title' | 'operations'> & { id: string })[]>
  }
  const sendMail: (to: string, text: string) => Promise<void>
  const metrics: { count(name: string, details: object): void }
  const audit: { write(entry: object): void }
  const reportsOf: (accountId: string) => object[]
}
`

/** The declarations of packages that code blocks import, and that this repository does not install. */
export const PACKAGES = `
declare module 'better-sqlite3' {
  export default class Database {
    constructor(file: string)
    exec(sql: string): this
    prepare(sql: string): { run(...values: unknown[]): { changes: number }; all(...values: unknown[]): unknown[] }
  }
}
declare module 'node:sqlite' {
  export class DatabaseSync {
    constructor(file: string)
    exec(sql: string): void
    prepare(sql: string): { run(...values: unknown[]): { changes: number | bigint }; all(...values: unknown[]): unknown[] }
  }
}
declare module 'prom-client' {
  interface Options<Label extends string> {
    name: string
    help: string
    labelNames?: readonly Label[]
    collect?(): void | Promise<void>
  }
  export class Counter<Label extends string = string> {
    constructor(options: Options<Label>)
    inc(labels?: Partial<Record<Label, string | number>>): void
  }
  export class Gauge<Label extends string = string> {
    constructor(options: Options<Label>)
    set(labels: Partial<Record<Label, string | number>>, value: number): void
    reset(): void
  }
  export const register: { contentType: string; metrics(): Promise<string> }
}
`
