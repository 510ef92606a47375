import { existsSync, rmSync } from 'node:fs'
import { newVapidKeys } from '@parley/config'
import { hasFfmpeg } from '../infrastructure/index.ts'
import { abortable } from './abortable.ts'
import { type DataDir, dataDirAt, createDataDir } from './data-dir.ts'
import { writeAtomically } from './files.ts'
import { storeEnvironment } from './fleet-environment.ts'
import { endLeftovers } from './leftovers.ts'
import { lockDataDir } from './lock.ts'
import { rotateLogs } from './log-file.ts'
import { prepareDatabases } from './migrations.ts'
import { startMailPage } from './mails.ts'
import { CleanUp } from './clean-up.ts'
import { startMediaServer } from './media-server.ts'
import type { FleetOptions } from './options.ts'
import { forgetPassword, bootstrapOwner, type OperatorAccess, type Owner } from './owner.ts'
import { localUrl, publicPort } from './public-port.ts'
import { whenAllReady } from './readiness.ts'
import { StatusFile, type FleetProcess } from './status-file.ts'
import { isPushConfigured } from './push-keys.ts'
import { repositoryRoot } from '../repository.ts'
import { Secrets } from './secrets.ts'
import { type Servers, startServers } from './servers.ts'
import { type FleetAddresses, processEnvironment } from './service-env.ts'
import { ServiceGroup } from './service-group.ts'
import { parleyServices, type ServiceDefinition } from './service-list.ts'

const startTimeoutMs = 180_000

export type Fleet = AsyncDisposable & {
  readonly url: string
  /** URL of the page that shows mails; undefined when a mail server is configured. */
  readonly mailUrl: string | undefined
  readonly owner: Owner | undefined
  readonly services: FleetProcess[]
  readonly operator: OperatorAccess
  /** Connection string of PostgreSQL's superuser. */
  postgresUrl(database: string): string
  readonly redisUrl: string
  /** Call it once the generated password has been shown. */
  forgetOwnerPassword(): void
  /** Sends a signal to a process of a deployable. A process that ends is restarted. */
  kill(name: string, signal: NodeJS.Signals, index?: number): void
  restart(name: string, index?: number): Promise<void>
  /**
   * Starts or drains processes of a service until it has `count`. Resolves when the started processes serve, or were
   * removed by a later call, and the drained ones have ended.
   */
  scale(name: string, count: number): Promise<void>
  /** Drains the services, then ends the servers. The data is kept. */
  stop(): Promise<void>
}

/**
 * Starts the servers, migrates the databases, starts every service and creates the first owner. Resolves when every
 * process is ready. If it fails or `signal` is aborted, it stops what is already running before it throws.
 */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const cleanUp = new CleanUp()
  try {
    return await start({ say: () => {}, signal: new AbortController().signal, ...options }, cleanUp)
  } catch (error) {
    await cleanUp.close()
    throw error
  }
}

type StartOptions = FleetOptions & { say: (line: string) => void; signal: AbortSignal }

async function start(options: StartOptions, cleanUp: CleanUp): Promise<Fleet> {
  const { say, signal, host = '127.0.0.1', env = process.env } = options
  const { services = parleyServices(repositoryRoot(), options.layout) } = options
  assertBuilt(services)
  const dir = await lockAndClean(options, cleanUp)
  const readyFile = new StatusFile(options.readyFile, say)
  const processes = openProcessesFile(dir, say, cleanUp)
  const port = await publicPort(host, options.port)
  const secrets = new Secrets(dir.secretsFile)

  say('starting PostgreSQL, NATS and Redis')
  const servers = await startServers({ dir, secrets, say, fsync: options.fsync ?? true, signal })
  cleanUp.push(() => servers.stop())
  signal.throwIfAborted()

  const url = localUrl(host, port)
  const { mailFolder, mailUrl } = await startMailPage(options.mailFolder, dir, secrets, cleanUp)
  const webhookUrl = `${url}/webhooks/livekit`
  const media = options.mediaServer ? await startMediaServer({ dir, secrets, say }, webhookUrl, cleanUp) : undefined
  const vapidPrivateKey = isPushConfigured(env) ? undefined : secrets.get('vapid', () => newVapidKeys().privateKey)
  const videos = options.videos === true && hasFfmpeg()
  const serverAddresses = addressesOf(dir, servers, secrets, url, host)
  const addresses = { ...serverAddresses, mailFolder, media, vapidPrivateKey, videos }
  say('migrating databases')
  await prepareDatabases(servers.postgres.adminUrl, services, addresses, env)
  signal.throwIfAborted()
  const operator = storeForCommands(dir, addresses, env, cleanUp)
  const group = new ServiceGroup({
    ...{ services, dir, say, replicas: options.replicas ?? 1, publicPort: port },
    environment: (service) => processEnvironment(service, addresses, env),
    onChange: () => [readyFile, processes].forEach((one) => one.update()),
  })
  processes.start(() => ({ services: group.processes() }))
  cleanUp.push(() => group.stop())
  options.force?.addEventListener('abort', () => group.kill('SIGKILL'))
  say(`starting ${services.map(({ name }) => name).join(', ')}`)
  const ready = whenAllReady(group.expectedProcesses(), say, signal, startTimeoutMs)
  await abortable(Promise.all([group.start(), ready]), signal)
  const owner =
    options.owner === false
      ? undefined
      : await bootstrapOwner(operator, options.owner ?? { login: 'parley' }, secrets, signal)
  readyFile.start(() => ({
    ...{ url, ownerLogin: owner?.login ?? '', services: group.processes() },
    ...(mailUrl !== undefined && { mailUrl }),
  }))
  cleanUp.push(() => readyFile.remove())
  return {
    ...{ url, mailUrl, owner, operator, redisUrl: addresses.redisUrl },
    get services() {
      return group.processes()
    },
    postgresUrl: (database) => servers.postgres.url(database),
    forgetOwnerPassword: () => forgetPassword(secrets),
    ...controlsOf(group),
    stop: () => cleanUp.close(),
    [Symbol.asyncDispose]: () => cleanUp.close(),
  }
}

const controlsOf = (group: ServiceGroup): Pick<Fleet, 'kill' | 'restart' | 'scale'> => ({
  kill: (name, signal, index) => group.member(name, index).kill(signal),
  restart: (name, index) => group.member(name, index).restart(),
  scale: (name, count) => group.scale(name, count),
})

function assertBuilt(services: ServiceDefinition[]) {
  const missing = services.filter(({ main }) => !existsSync(main)).map(({ name }) => name)
  if (missing.length > 0) throw new Error(`not built: ${missing.join(', ')}; run make bootstrap`)
}

async function lockAndClean({ dataDir, say }: StartOptions, cleanUp: CleanUp): Promise<DataDir> {
  const dir = dataDirAt(dataDir)
  createDataDir(dir)
  const lock = await lockDataDir(dir.root, dir.lockFile)
  cleanUp.push(() => lock[Symbol.dispose]())
  const logRotation = rotateLogs(dir.logs)
  cleanUp.push(() => logRotation[Symbol.dispose]())
  rmSync(dir.environmentFile, { force: true })
  const leftovers = await endLeftovers(dir)
  if (leftovers.length > 0) say(`stopped processes of an interrupted run: ${leftovers.join(', ')}`)
  return dir
}

function addressesOf(
  dir: DataDir,
  servers: Servers,
  secrets: Secrets,
  publicUrl: string,
  publicHost: string,
): Omit<FleetAddresses, 'mailFolder' | 'vapidPrivateKey'> {
  return {
    publicUrl,
    publicHost,
    natsUrl: servers.nats.url,
    redisUrl: servers.redis.url,
    postgresHost: servers.postgres.localHost,
    postgresPort: servers.postgres.port,
    assetsFolder: dir.assets,
    secret: (name) => secrets.get(name),
    previousSecret: (name) => secrets.peek(`${name}.previous`),
  }
}

function openProcessesFile(dir: DataDir, say: (line: string) => void, cleanUp: CleanUp) {
  const processes = new StatusFile<{ services: FleetProcess[] }>(dir.processesFile, say)
  cleanUp.push(() => processes.remove())
  return processes
}

function storeForCommands(
  dir: DataDir,
  fleet: FleetAddresses,
  env: NodeJS.ProcessEnv,
  cleanUp: CleanUp,
): OperatorAccess {
  const access = { natsUrl: fleet.natsUrl, natsUser: 'operator', natsPassword: fleet.secret('nats.operator') }
  writeAtomically(dir.operatorFile, JSON.stringify(access) + '\n')
  storeEnvironment(dir, { url: fleet.publicUrl, env })
  cleanUp.push(() => [dir.operatorFile, dir.environmentFile].forEach((file) => rmSync(file, { force: true })))
  return access
}
