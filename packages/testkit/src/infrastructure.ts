export type TestInfrastructure = { postgresAdminUrl: string; redisUrl: string }

/** Throws outside a run with the global setup. */
export function testInfrastructure(): Promise<TestInfrastructure> {
  return Promise.resolve({
    postgresAdminUrl: fromEnvironment('PARLEY_TEST_POSTGRES_URL'),
    redisUrl: fromEnvironment('PARLEY_TEST_REDIS_URL'),
  })
}

function fromEnvironment(name: string): string {
  const value = process.env[name]
  if (!value)
    throw new Error(
      `${name} is not set: run the test with jest. If its package uses PostgreSQL or Redis, ` +
        'it must be listed in `sharing` of packages/tooling/jest.config.mjs',
    )
  return value
}
