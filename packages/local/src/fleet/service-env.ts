import { join } from 'node:path'
import { deployableNames, propertiesOf } from '@parley/contracts/deployables'
import { compileCache, repositoryRoot } from '../repository.ts'
import { pushEnvironment } from './push-keys.ts'
import type { ServiceDefinition } from './service-list.ts'

export type FleetAddresses = {
  publicUrl: string
  publicHost: string
  natsUrl: string
  redisUrl: string
  postgresHost?: string
  postgresPort: number
  assetsFolder: string
  mailFolder: string | undefined
  media?: NodeJS.ProcessEnv | undefined
  /** Undefined when the environment or parley.toml configures push. */
  vapidPrivateKey?: string | undefined
  videos?: boolean
  secret: (name: string) => string
  previousSecret?: (name: string) => string | undefined
}

export const rotatable = [
  { name: 'core', variable: 'PARLEY_CORE_SECRET_KEY' },
  { name: 'cookieSigning', variable: 'PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET' },
  { name: 'assetsSigning', variable: 'PARLEY_CORE_ASSETS_SIGNING_SECRET' },
  { name: 'uploadsBlob', variable: 'PARLEY_UPLOADS_BLOB_SECRET' },
] as const

const blobDeployables = new Set<string>(
  deployableNames.filter((name) => propertiesOf(name).secrets?.includes('PARLEY_UPLOADS_BLOB_SECRET')),
)

/** Services that process videos, or report to clients whether videos are processed. */
const videoDeployables = new Set(['uploads', 'admin'])

const webClientFolder = (): string => join(repositoryRoot(), 'packages/web/dist')

const supervisorVariables = [
  'PARLEY_OWNER_LOGIN',
  'PARLEY_OWNER_PASSWORD',
  'PARLEY_READY_FILE',
  'PARLEY_REPLICAS',
  'PARLEY_LAYOUT',
]

/** The environment of one process. With several deployables it has the variables and the bus password of each. */
export function processEnvironment(
  service: ServiceDefinition,
  fleet: FleetAddresses,
  given: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const { name, holds } = service
  if (holds === undefined) return serviceEnvironment(service, fleet, given)
  const env: NodeJS.ProcessEnv = {}
  for (const deployable of holds) {
    Object.assign(env, serviceEnvironment(deployable, fleet, given))
    env[natsPasswordVariable(deployable.name)] = fleet.secret(`nats.${deployable.name}`)
  }
  // In one process the deployables find each other's ports themselves.
  for (const variable of holds.flatMap(({ portVariables = [] }) => portVariables)) env[variable] = '0'
  const { PARLEY_NATS_USER: _, PARLEY_NATS_PASSWORD: __, ...shared } = env
  return { ...shared, PARLEY_SERVICE: name }
}

export function serviceEnvironment(
  service: ServiceDefinition,
  fleet: FleetAddresses,
  given: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {
    NODE_COMPILE_CACHE: compileCache(),
    // By default glibc has a heap per thread and keeps most of what a process frees; that is a fifth of its memory.
    MALLOC_ARENA_MAX: '2',
    MALLOC_TRIM_THRESHOLD_: '131072',
    PARLEY_WEBSERVER_URL: fleet.publicUrl,
    PARLEY_DATABASE_POOL: '4',
    PARLEY_REALTIME_DRAIN_WINDOW: '1s',
    PARLEY_CORE_SECRET_KEY: fleet.secret('core'),
    PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET: fleet.secret('cookieSigning'),
    PARLEY_CORE_ASSETS_SIGNING_SECRET: fleet.secret('assetsSigning'),
    ...(blobDeployables.has(service.name) ? { PARLEY_UPLOADS_BLOB_SECRET: fleet.secret('uploadsBlob') } : {}),
    ...(service.name === 'uploads' ? { PARLEY_CORE_ASSETS_DIRECTORY: fleet.assetsFolder } : {}),
    ...(service.name === 'gateway' ? { PARLEY_GATEWAY_WEB_CLIENT_DIRECTORY: webClientFolder() } : {}),
    ...mediaSettings(service, fleet),
    ...(fleet.videos && videoDeployables.has(service.name) ? { PARLEY_VIDEO_ENABLED: 'true' } : {}),
    ...(service.hostVariable === undefined ? {} : { [service.hostVariable]: '127.0.0.1' }),
    ...previousSecrets(service, fleet),
    ...(fleet.vapidPrivateKey === undefined ? {} : pushEnvironment(service.name, fleet.vapidPrivateKey)),
    ...withoutEmpty(given),
    ...(service.proxies && service.hostVariable !== undefined ? { [service.hostVariable]: fleet.publicHost } : {}),
    ...(fleet.mailFolder === undefined ? {} : { PARLEY_MAIL_DIR: fleet.mailFolder }),
    PARLEY_SERVICE: service.name,
    PARLEY_NATS_URL: fleet.natsUrl,
    PARLEY_NATS_USER: service.name,
    PARLEY_NATS_PASSWORD: fleet.secret(`nats.${service.name}`),
    PARLEY_REDIS_URL: fleet.redisUrl,
    PARLEY_INTERNAL_HOST: '127.0.0.1',
    PARLEY_INTERNAL_PORT: '0',
  }
  if (service.migrate !== undefined) {
    env[`PARLEY_${service.name.toUpperCase()}_DATABASE_URL`] = databaseUrl(service.name, fleet)
  }
  for (const name of supervisorVariables) delete env[name]
  return env
}

function mediaSettings({ name }: ServiceDefinition, { media }: FleetAddresses): NodeJS.ProcessEnv {
  if (name === 'calls') return media ?? {}
  if (name !== 'admin' || !media) return {}
  const { PARLEY_LIVEKIT_ENABLED, PARLEY_LIVEKIT_URL } = media
  return { PARLEY_LIVEKIT_ENABLED, PARLEY_LIVEKIT_URL }
}

/** The variables with the previous secrets, which are needed to read older data. */
function previousSecrets(
  { name }: ServiceDefinition,
  { previousSecret }: Pick<FleetAddresses, 'previousSecret'>,
): NodeJS.ProcessEnv {
  const secrets = blobDeployables.has(name) ? rotatable : rotatable.filter(({ name: one }) => one !== 'uploadsBlob')
  return withoutEmpty(
    Object.fromEntries(secrets.map((one) => [`${one.variable}_PREVIOUS`, previousSecret?.(one.name)])),
  )
}

function withoutEmpty(given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ''))
}

function databaseUrl(service: string, { postgresHost = '127.0.0.1', postgresPort, secret }: FleetAddresses): string {
  const name = databaseName(service)
  return `postgres://${name}:${secret(`database.${service}`)}@${postgresHost}:${postgresPort}/${name}`
}

export const databaseName = (service: string): string => `parley_${service}`

export const natsPasswordVariable = (user: string): string => `PARLEY_NATS_PASSWORD_${user.toUpperCase()}`
