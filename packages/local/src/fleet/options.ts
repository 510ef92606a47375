import type { OwnerOptions } from './owner.ts'
import type { Layout, ServiceDefinition } from './service-list.ts'

/** Options of a fleet. */
export type FleetOptions = {
  /** Folder with all data of the fleet; created if it is missing. */
  dataDir: string
  /** Port of the (first) gateway; 0 for a free one. */
  port: number
  /** Address on which the gateways listen; default: 127.0.0.1. */
  host?: string
  /** Processes of every service; default 1. */
  replicas?: number
  /** The first owner; default: login `parley` with a random password. False: no owner is created. */
  owner?: OwnerOptions | false
  /**
   * Folder for all mails, which a page shows; default: `mail` in the data folder. False: a mail server is configured.
   */
  mailFolder?: string | false | undefined
  /** True: starts a media server for calls if its program is installed. Default: uses the configured one. */
  mediaServer?: boolean
  /** True: processes videos if ffmpeg is installed. Default: as configured. */
  videos?: boolean
  /** File that lists the processes while the fleet is ready; updated whenever one changes. */
  readyFile?: string | undefined
  /** Environment of the services, to which the fleet adds its own variables; default: that of this process. */
  env?: NodeJS.ProcessEnv
  /** False: a crash of the machine may corrupt the database; for tests. */
  fsync?: boolean
  /** Called with each line about progress, crashes and warnings of services. */
  say?: (line: string) => void
  /** How the deployables are spread over processes; default: `separate`. */
  layout?: Layout
  /** Services to run; default: the nine services of this checkout. */
  services?: ServiceDefinition[]
  /** Aborts the start: what is already running is stopped. */
  signal?: AbortSignal
  /** Kills services that are still draining when it is aborted. */
  force?: AbortSignal
}
