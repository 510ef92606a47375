import { createServer } from 'node:http'
import pg from 'pg'
import { defineConfig, int, str } from '@parley/config'
import { OperatorService } from '@parley/contracts/internal'
import { connectBus, serveRpc } from '@parley/rpc'
import { Health, Resources, run, serveInternal } from '@parley/runtime'

const readConfig = defineConfig({
  natsUrl: str('PARLEY_NATS_URL', { doc: 'bus' }),
  natsPassword: str('PARLEY_NATS_PASSWORD', { doc: 'bus' }),
  databaseUrl: str('PARLEY_ACCOUNTS_DATABASE_URL', { doc: 'database' }),
  setting: int('PARLEY_FAKE_SETTING', { default: 0, doc: 'a setting for tests of invalid values' }),
})

await run('accounts', async () => {
  const config = readConfig()
  await using opened = new Resources()
  const health = new Health()
  const internal = opened.use(await serveInternal({ host: '127.0.0.1', port: 0, health }))
  const bus = opened.use(
    await connectBus({
      url: config.natsUrl,
      user: 'accounts',
      password: config.natsPassword,
      name: 'accounts',
      purpose: 'rpc',
    }),
  )
  const pool = new pg.Pool({ connectionString: config.databaseUrl })
  opened.defer('pool', () => pool.end())
  opened.use(
    await serveRpc(bus, {
      deployable: 'accounts',
      routes: (router) => {
        router.service(OperatorService, {
          async bootstrapOwner({ login }) {
            const { rowCount } = await pool.query('insert into owner values ($1) on conflict do nothing', [login])
            const { rows } = await pool.query<{ login: string }>('select login from owner')
            return { created: rowCount === 1, login: rows[0]?.login ?? '' }
          },
        })
      },
    }),
  )
  const server = createServer((_, response) => response.end(JSON.stringify(process.env)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.defer('http', () => void server.close())
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const closing = opened.move()
  return { internalPort: internal.port, url, [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose]() }
})
