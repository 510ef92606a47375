import { installMissing } from '@parley/local/infrastructure'
import { installFfmpeg } from './ffmpeg.ts'

/** Call it before the test files run: they run in parallel, and would all install the same programs. */
export async function installPrograms(): Promise<void> {
  const given = { 'nats-server': process.env.PARLEY_TEST_NATS_URL, 'redis-server': process.env.PARLEY_TEST_REDIS_URL }
  await installMissing(Object.entries(given).flatMap(([name, url]) => (url ? [] : [name])))
  await installFfmpeg()
}
