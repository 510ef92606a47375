import type { DescService } from '@bufbuild/protobuf'
import { createClient, type Client } from '@connectrpc/connect'
import { declareStreams } from '@parley/events'
import type { Database, Db } from '@parley/postgres'
import type { Bus, RpcClient, ServiceRoutes } from '@parley/rpc'
import { Resources, type Service } from '@parley/runtime'
import { callAs, serveFakes, testBus, type TestCaller } from './bus.ts'
import { testNats, type TestNats } from './nats.ts'
import { openTestDatabase, testDatabase, type TestDatabase, type TestDatabaseOptions } from './postgres.ts'

export type ServiceParts<Config, Overrides> = {
  start: (config: Config, overrides?: Overrides) => Promise<Service>
  readConfig: (sources: { env: NodeJS.ProcessEnv }) => Config
  /** Environment of every process; a test may override it per process. */
  settings?: NodeJS.ProcessEnv
}

export type DatabaseServiceParts<Config, Overrides> = ServiceParts<Config, Overrides> &
  TestDatabaseOptions & {
    databaseSetting: string
    migrations: URL
  }

export type TestProcess = Service & { url: string }

type ClientsOf<S extends Record<string, DescService>> = { [K in keyof S]: Client<S[K]> }

/** The servers and processes of a service under test. Disposing ends all processes at once, then the servers. */
export type ServiceHarness<Overrides = unknown> = {
  nats: TestNats
  bus: Bus
  rpc: RpcClient
  settings: NodeJS.ProcessEnv
  /** Starts a process, which lives as long as the harness or until it is disposed. */
  start: (settings?: NodeJS.ProcessEnv, overrides?: Overrides) => Promise<TestProcess>
  restart: () => Promise<void>
  serveFakes: (routes: (routes: ServiceRoutes) => void) => Promise<void>
  /** A client of the service, acting as another service or, with `who`, as a user. */
  client: <S extends DescService>(service: S, who?: TestCaller) => Client<S>
  clients: <S extends Record<string, DescService>>(services: S, who?: TestCaller) => ClientsOf<S>
  /** The resource is disposed after the processes. */
  use: <T extends AsyncDisposable | Disposable>(resource: T) => T
  /** `close` runs before the processes are stopped. */
  beforeDispose: (name: string, close: () => Promise<void> | void) => void
  [Symbol.asyncDispose]: () => Promise<void>
}

export type DatabaseServiceHarness<Overrides = unknown> = ServiceHarness<Overrides> & {
  database: TestDatabase
  db: Db
  pool: Database['pool']
}

/** A harness extended by `surround`, for example with fakes of other services. */
export type Surrounded<Harness, Own> = Omit<Harness, keyof Own> & Own

export function testService<Config, Overrides, Own extends object>(
  parts: ServiceParts<Config, Overrides>,
  surround: (harness: ServiceHarness<Overrides>) => Promise<Own> | Own,
): Promise<Surrounded<ServiceHarness<Overrides>, Own>> {
  return openWith((opened) => openHarness(parts, opened), surround)
}

export function testDatabaseService<Config, Overrides, Own extends object>(
  parts: DatabaseServiceParts<Config, Overrides>,
  surround: (harness: DatabaseServiceHarness<Overrides>) => Promise<Own> | Own,
): Promise<Surrounded<DatabaseServiceHarness<Overrides>, Own>> {
  const { migrations, databaseSetting, outages = false } = parts
  return openWith(async (opened) => {
    const database = opened.use(await testDatabase(migrations, { outages }))
    const { db, pool } = opened.use(await openTestDatabase(database.url))
    const settings = { [databaseSetting]: database.url, ...parts.settings }
    return Object.assign(await openHarness({ ...parts, settings }, opened), { database, db, pool })
  }, surround)
}

async function openWith<Harness extends AsyncDisposable, Own extends object>(
  open: (opened: Resources) => Promise<Harness>,
  surround: (harness: Harness) => Promise<Own> | Own,
): Promise<Surrounded<Harness, Own>> {
  const opened = new Resources()
  let harness: Harness | undefined
  try {
    harness = await open(opened)
    return Object.assign(harness, await surround(harness))
  } catch (error) {
    await (harness ?? opened)[Symbol.asyncDispose]()
    throw error
  }
}

async function openHarness<Config, Overrides>(
  { start: startService, readConfig, settings: given }: ServiceParts<Config, Overrides>,
  opened: Resources,
): Promise<ServiceHarness<Overrides>> {
  const nats = opened.use(await testNats())
  const { bus, rpc } = opened.use(await testBus(nats.url))
  await declareStreams(bus)
  const settings: NodeJS.ProcessEnv = { PARLEY_NATS_URL: nats.url, ...given }
  const processes = new Processes((own: NodeJS.ProcessEnv = {}, overrides?: Overrides) =>
    startService(readConfig({ env: { ...settings, ...own } }), overrides),
  )
  const ending = new Resources()
  const client = <S extends DescService>(service: S, who?: TestCaller) =>
    createClient(service, who === undefined ? rpc.transport() : callAs(rpc, who))
  return {
    ...{ nats, bus, rpc, settings, client },
    start: (own, overrides) => processes.start(own, overrides),
    restart: () => processes.restart(),
    serveFakes: async (routes) => void opened.use(await serveFakes(bus, routes)),
    clients: (services, who) => mapClients(services, (service) => client(service, who)),
    use: (resource) => opened.use(resource),
    beforeDispose: (name, close) => ending.defer(name, close),
    async [Symbol.asyncDispose]() {
      await ending[Symbol.asyncDispose]()
      await processes[Symbol.asyncDispose]()
      await opened[Symbol.asyncDispose]()
    },
  }
}

const mapClients = <S extends Record<string, DescService>>(services: S, clientOf: (service: DescService) => unknown) =>
  Object.fromEntries(Object.entries(services).map(([name, service]) => [name, clientOf(service)])) as ClientsOf<S>

class Processes<Given extends unknown[]> implements AsyncDisposable {
  readonly #boot: (...given: Given) => Promise<Service>
  readonly #running = new Map<TestProcess, Given>()

  constructor(boot: (...given: Given) => Promise<Service>) {
    this.#boot = boot
  }

  async start(...given: Given): Promise<TestProcess> {
    const service = await this.#boot(...given)
    let ended: Promise<void> | undefined
    const end = async () => {
      this.#running.delete(process)
      await service[Symbol.asyncDispose]()
    }
    const process = { ...service, url: service.url ?? '', [Symbol.asyncDispose]: () => (ended ??= end()) }
    this.#running.set(process, given)
    return process
  }

  async restart(): Promise<void> {
    const ended = [...this.#running.values()]
    await this[Symbol.asyncDispose]()
    await Promise.all(ended.map((given) => this.start(...given)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running.keys()].map((process) => process[Symbol.asyncDispose]()))
  }
}
