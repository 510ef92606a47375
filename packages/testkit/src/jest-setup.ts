import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres, startRedis } from '@parley/local/infrastructure'
import { dropOldDatabases } from './old-databases.ts'
import { installPrograms } from './install-programs.ts'
import { removeAbandonedFolders, temporaryFolder } from './run-folder.ts'

const started: AsyncDisposable[] = []
const setVariables = new Set<string>()
let folder: string | undefined

/** Starts PostgreSQL and Redis, or uses the servers that `PARLEY_TEST_POSTGRES_URL` and `PARLEY_TEST_REDIS_URL` name. */
export async function setup(): Promise<void> {
  await removeAbandonedFolders()
  const dir = (folder = temporaryFolder())
  // PostgreSQL may run as another user, who must be able to reach its folder inside this one.
  chmodSync(dir, 0o755)
  await installPrograms()
  await Promise.all([usePostgres(dir), useRedis(dir)])
}

export async function teardown(): Promise<void> {
  // With `--watch` the next run begins in the same process.
  for (const name of setVariables) delete process.env[name]
  setVariables.clear()
  await Promise.all(started.splice(0).map((server) => server[Symbol.asyncDispose]()))
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
}

async function usePostgres(dir: string) {
  const given = process.env.PARLEY_TEST_POSTGRES_URL
  if (given) return dropOldDatabases(given)
  const postgres = await startPostgres({ dir: join(dir, 'postgres'), fsync: false })
  provide('PARLEY_TEST_POSTGRES_URL', postgres.adminUrl, postgres)
}

async function useRedis(dir: string) {
  if (process.env.PARLEY_TEST_REDIS_URL) return
  const redis = await startRedis({ dir: join(dir, 'redis') })
  provide('PARLEY_TEST_REDIS_URL', redis.url, redis)
}

function provide(name: string, url: string, server: AsyncDisposable) {
  started.push(server)
  setVariables.add(name)
  process.env[name] = url
}
