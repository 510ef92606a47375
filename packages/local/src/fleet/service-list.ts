import { join } from 'node:path'
import { repositoryRoot } from '../repository.ts'

/** A deployable as the supervisor sees it. */
export type ServiceDefinition = {
  /** Its name, which is also its bus user. */
  name: string
  /** The bundle of its process. */
  main: string
  /** The bundle that migrates its database; a service without one has no database. */
  migrate?: string
  /** Environment variables that take the port of its own HTTP server. */
  portVariables?: string[]
  /** Variable that takes the address this port listens on. */
  hostVariable?: string
  /** Variable in which those that proxy are told the addresses of all its processes, separated by commas. */
  listedAs?: string
  /** Is told the addresses of those that are listed, so it starts after them. */
  proxies?: boolean
  /** Stands at the edge: it is drained before the services it asks. */
  edge?: boolean
}

/** The nine deployables, from their bundles below a folder: this checkout unless another is given. */
export function parleyServices(root = repositoryRoot()): ServiceDefinition[] {
  const main = (name: string) => join(root, 'services', name, 'dist/main.js')
  const stateless = (name: string) => ({ name, main: main(name) })
  const withDatabase = (name: string) => ({
    ...stateless(name),
    migrate: join(root, 'services', name, 'dist/migrate.js'),
  })
  return [
    {
      ...stateless('realtime'),
      edge: true,
      portVariables: ['PARLEY_REALTIME_PORT'],
      hostVariable: 'PARLEY_REALTIME_HOST',
      listedAs: 'PARLEY_GATEWAY_REALTIME_URLS',
    },
    {
      ...withDatabase('uploads'),
      portVariables: ['PARLEY_UPLOADS_HTTP_PORT'],
      hostVariable: 'PARLEY_UPLOADS_HTTP_HOST',
      listedAs: 'PARLEY_GATEWAY_ASSETS_URLS',
    },
    {
      ...withDatabase('calls'),
      portVariables: ['PARLEY_CALLS_HTTP_PORT'],
      hostVariable: 'PARLEY_CALLS_HTTP_HOST',
      listedAs: 'PARLEY_GATEWAY_WEBHOOKS_URLS',
    },
    withDatabase('accounts'),
    withDatabase('rooms'),
    withDatabase('messaging'),
    withDatabase('admin'),
    withDatabase('notifications'),
    {
      ...stateless('gateway'),
      edge: true,
      proxies: true,
      portVariables: ['PARLEY_PORT', 'PARLEY_WEBSERVER_PORT'],
      hostVariable: 'PARLEY_WEBSERVER_HOST',
    },
  ]
}

/** Users of the bus configuration: the nine deployables and the operator. */
export const busUsers = [
  ...['gateway', 'realtime', 'accounts', 'rooms', 'messaging', 'admin', 'uploads', 'notifications', 'calls'],
  'operator',
]
