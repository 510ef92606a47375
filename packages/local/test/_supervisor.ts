import { fileURLToPath } from 'node:url'
import { supervise } from '../src/supervise.ts'

const accounts = fileURLToPath(new URL('./_fake-accounts.ts', import.meta.url))
const main = fileURLToPath(new URL('./_fake-edge.ts', import.meta.url))
const migrate = fileURLToPath(new URL('./_fake-migrate.ts', import.meta.url))

process.exit(
  await supervise(process.argv.slice(2), { ...process.env }, [
    {
      name: 'realtime',
      main,
      edge: true,
      listedAs: 'PARLEY_GATEWAY_REALTIME_URLS',
      portVariables: ['PARLEY_REALTIME_PORT'],
    },
    { name: 'accounts', main: accounts, migrate },
    { name: 'gateway', main, edge: true, proxies: true, portVariables: ['PARLEY_PORT', 'PARLEY_WEBSERVER_PORT'] },
  ]),
)
