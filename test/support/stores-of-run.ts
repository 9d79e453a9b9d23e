/**
 * The deployments that stores can use in tests. Names with -6 use ioredis 6, and all other names use ioredis
 * 5.
 */
export const DEPLOYMENTS = [
  'memory',
  'redis',
  'redis-6',
  'cluster',
  'cluster-6',
  'sentinel',
  'sentinel-6',
  'postgres',
  'sqlite',
] as const

export type Deployment = (typeof DEPLOYMENTS)[number]

/** The deployments that several processes can reach. */
export type SharedDeployment = Exclude<Deployment, 'memory'>

export type RedisDeployment = Exclude<SharedDeployment, 'postgres' | 'sqlite'>

/**
 * The deployments that tests run on, in the order in which the environment variable TEST_STORES names them.
 *
 * @param list names with commas in between; `memory,redis` if left out
 * @throws if a name is unknown
 */
export function storesOfRun(list: string | undefined = process.env['TEST_STORES']): Deployment[] {
  const names = new Set((list ?? 'memory,redis').split(',').map((name) => name.trim()))
  return Array.from(names, (name) => {
    const known = DEPLOYMENTS.find((it) => it === name)
    if (known) return known
    throw new Error(`TEST_STORES names “${name}”; there are: ${DEPLOYMENTS.join(', ')}`)
  })
}
