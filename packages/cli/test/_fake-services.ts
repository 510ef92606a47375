import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll } from '@jest/globals'
import { busUsers, type Deployable } from '@parley/contracts/deployables'
import { type Nats, startNats } from '@parley/local/infrastructure'
import { connectBus, serveRpc, type ServiceRoutes } from '@parley/rpc'
import { Resources } from '@parley/runtime'

const conf = fileURLToPath(new URL('../../../deploy/nats/parley.conf', import.meta.url))

/** The data folder of a fleet with its NATS and fakes of services, for all tests of the calling file. */
export function useFakeServices(fakes: Partial<Record<Deployable, (routes: ServiceRoutes) => void>>) {
  const opened = new Resources()
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-cli-'))
  opened.defer('data folder', () => rmSync(dataDir, { recursive: true, force: true }))
  let nats: Nats
  beforeAll(async () => {
    const passwords = busUsers.map((user) => [`PARLEY_NATS_PASSWORD_${user.toUpperCase()}`, `password-of-${user}`])
    const env = Object.fromEntries(passwords) as NodeJS.ProcessEnv
    nats = await startNats({ dir: join(dataDir, 'nats'), conf, env })
    opened.defer('NATS', () => nats.stop())
    mkdirSync(join(dataDir, 'run'))
    const operator = { natsUrl: nats.url, natsUser: 'operator', natsPassword: 'password-of-operator' }
    writeFileSync(join(dataDir, 'run/operator.json'), JSON.stringify(operator))
    for (const [name, routes] of Object.entries(fakes)) {
      const own = { user: name, password: `password-of-${name}`, name }
      const bus = opened.use(await connectBus({ url: nats.url, ...own, purpose: 'rpc' }))
      opened.use(await serveRpc(bus, { deployable: name as Deployable, routes }))
    }
  })
  afterAll(async () => opened[Symbol.asyncDispose]())
  return { dataDir, nats: () => nats }
}
