import { installMissing } from '@parley/local/infrastructure'
import { installFfmpeg } from './ffmpeg.ts'

/** Runs before the test files, because they run in parallel. */
export async function installPrograms(): Promise<void> {
  const given = { 'nats-server': process.env.PARLEY_TEST_NATS_URL, 'redis-server': process.env.PARLEY_TEST_REDIS_URL }
  await installMissing(Object.entries(given).flatMap(([name, url]) => (url ? [] : [name])))
  await installFfmpeg()
}
