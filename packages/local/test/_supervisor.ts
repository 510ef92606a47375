import { fileURLToPath } from 'node:url'
import { supervise } from '../src/supervise.ts'

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const main = file('_fake-service.ts')

// The real supervisor with services that do next to nothing.
process.exit(
  await supervise(process.argv.slice(2), { ...process.env }, [
    {
      name: 'realtime',
      main,
      edge: true,
      listedAs: 'PARLEY_GATEWAY_REALTIME_URLS',
      portVariables: ['PARLEY_REALTIME_PORT'],
    },
    { name: 'accounts', main, migrate: file('_fake-migrate.ts') },
    { name: 'gateway', main, edge: true, proxies: true, portVariables: ['PARLEY_PORT', 'PARLEY_WEBSERVER_PORT'] },
  ]),
)
