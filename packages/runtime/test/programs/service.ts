import { writeSync } from 'node:fs'
import { defineConfig, secret, str } from '@parley/config'
import { Health, Resources, run, serveInternal } from '@parley/runtime'

const readConfig = defineConfig({
  databaseUrl: secret('TEST_DATABASE_URL', { pattern: /^postgres:/, doc: 'the database' }),
  natsUrl: str('TEST_NATS_URL', { doc: 'the bus' }),
  behaviour: str('TEST_BEHAVIOUR', { optional: true, doc: 'what goes wrong' }),
})

const say = (line: string): void => void writeSync(1, `${line}\n`)

await run('test', async (stop) => {
  const { behaviour } = readConfig()
  if (behaviour === 'cannot start') throw new Error('no such table')
  if (behaviour === 'slow to start') {
    say('starting')
    const waiting = setInterval(() => {}, 1000)
    await new Promise((_, reject) => {
      stop.addEventListener('abort', () => {
        clearInterval(waiting)
        reject(new Error('stopped'))
      })
    })
  }
  await using opened = new Resources()
  const health = new Health()
  const internal = opened.use(await serveInternal({ host: '127.0.0.1', port: 0, health }))
  opened.defer('pool', () => say('pool closed'))
  opened.defer('work', async () => {
    const { status } = await fetch(`http://127.0.0.1:${internal.port}/readyz`)
    say(`work finished while readyz says ${status}`)
    if (behaviour === 'stuck') await new Promise(() => {})
    if (behaviour === 'leaks') setInterval(() => {}, 1000)
  })
  opened.defer('readiness', () => health.drain())
  // `run` exits five seconds after this time limit: 100 ms after the signal.
  const drainTimeoutMs = behaviour === 'stuck' || behaviour === 'leaks' ? -4_900 : 15_000
  return Object.assign(opened.move(), { internalPort: internal.port, url: 'http://test.invalid', drainTimeoutMs })
})
