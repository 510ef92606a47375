import { join } from 'node:path'
import { compactDeployables, type Deployable, deployableNames, propertiesOf } from '@parley/contracts/deployables'
import { repositoryRoot } from '../repository.ts'

/** How the deployables are spread over processes: a process for each, or one process for all except realtime. */
export type Layout = 'separate' | 'compact'

export type ServiceDefinition = {
  name: string
  /** The deployables of a process that runs several. */
  holds?: ServiceDefinition[]
  main: string
  migrate?: string
  portVariables?: string[]
  hostVariable?: string
  /** Variable in which proxying services get the addresses of all its processes, separated by commas. */
  listedAs?: string
  /**
   * Whether it listens on the public port and gets the addresses of the services with `listedAs` in its environment.
   */
  proxies?: boolean
  /** Whether clients connect to it, so that it is drained before the services it calls. */
  edge?: boolean
}

/** The bundles are below `root`. */
export function parleyServices(root = repositoryRoot(), layout: Layout = 'separate'): ServiceDefinition[] {
  const separate = deployableNames.map((name) => deployable(root, name))
  if (layout === 'separate') return separate
  const isCompact = ({ name }: ServiceDefinition) => compactDeployables.some((compact) => compact === name)
  return [...separate.filter((service) => !isCompact(service)), compact(root, separate.filter(isCompact))]
}

const migrateAll = (root: string): string => join(root, 'packages/compact/dist/migrate.js')

function deployable(root: string, name: Deployable): ServiceDefinition {
  const { database, http, edge, proxies } = propertiesOf(name)
  return {
    name,
    main: join(root, 'services', name, 'dist', 'main.js'),
    // One program migrates all: a process for each would take longer to start than to migrate.
    ...(database && { migrate: migrateAll(root) }),
    ...(http && { portVariables: [...http.settings], hostVariable: http.hostSetting }),
    ...(http?.listedAs && { listedAs: http.listedAs }),
    ...(edge && { edge }),
    ...(proxies && { proxies }),
  }
}

/** One process for several deployables, reached through the port of the deployable that proxies to the others. */
function compact(root: string, holds: ServiceDefinition[]): ServiceDefinition {
  const { portVariables, hostVariable } = holds.find(({ proxies }) => proxies) ?? {}
  return {
    name: 'compact',
    holds,
    main: join(root, 'packages/compact/dist/main.js'),
    migrate: migrateAll(root),
    ...(portVariables && { portVariables }),
    ...(hostVariable && { hostVariable }),
    edge: true,
    proxies: true,
  }
}
