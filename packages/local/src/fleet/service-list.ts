import { join } from 'node:path'
import { deployableNames, factsOf } from '@parley/contracts/deployables'
import { repositoryRoot } from '../repository.ts'

/** A deployable as the supervisor sees it. */
export type ServiceDefinition = {
  /** Its name, which is also its bus user. */
  name: string
  /** The bundle of its process. */
  main: string
  /** Bundle with its migrations; undefined for a service without database. */
  migrate?: string
  /** Variables that set the port of its HTTP server. */
  portVariables?: string[]
  /** Variable that takes the address this port listens on. */
  hostVariable?: string
  /** Variable in which proxying services get the addresses of all its processes, separated by commas. */
  listedAs?: string
  /** Gets the addresses of the listed services, so it starts after them. */
  proxies?: boolean
  /** Stands at the edge: it is drained before the services it asks. */
  edge?: boolean
}

/** The deployables, from their bundles below a folder: this checkout unless another is given. */
export function parleyServices(root = repositoryRoot()): ServiceDefinition[] {
  const bundle = (name: string, program: string) => join(root, 'services', name, 'dist', `${program}.js`)
  return deployableNames.map((name) => {
    const { database, http, edge, proxies } = factsOf(name)
    return {
      name,
      main: bundle(name, 'main'),
      ...(database && { migrate: bundle(name, 'migrate') }),
      ...(http && { portVariables: [...http.settings], hostVariable: http.hostSetting }),
      ...(http?.listedAs && { listedAs: http.listedAs }),
      ...(edge && { edge }),
      ...(proxies && { proxies }),
    }
  })
}
